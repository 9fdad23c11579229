//! What a page was asked for: nothing that it does not know.

use econoscope_data::desk::Desk;

/// Path of a page about one series.
pub(super) const SERIES: &str = "/series/{name}";
/// Path of a picture of one series.
pub(super) const CHART: &str = "/chart/{name}";
/// Path of a widget about one series.
pub(super) const METRIC: &str = "/widget/metric/{name}";

/// Years of a series that one sees at first.
pub(super) const FIRST: &str = "10y";

/// Most characters of an argument that are looked at.
const MAX_ARGUMENT: usize = 80;
/// The same of eight formulas, or of an address that holds them.
const MAX_LIST: usize = 900;

/// What a page was asked for.
#[derive(Debug)]
pub(super) struct PageRequest {
    /// Path as the routes have it.
    pub(super) path: &'static str,
    /// The part of the path that names something; of a series its identifier, where it is known.
    pub(super) name: String,
    /// Arguments that the page knows, by name.
    arguments: Vec<(&'static str, String)>,
}

impl PageRequest {
    pub(super) fn read(
        desk: &Desk,
        (path, known): (&'static str, &[&'static str]),
        name: &str,
        query: Option<&str>,
    ) -> Self {
        let usual = |name: &str| match path {
            SERIES | CHART if name == "start" => Some(FIRST.to_owned()),
            _ => None,
        };
        let argument = |name: &&'static str| {
            let value = argument(query, name).or_else(|| usual(name));
            Some((*name, value?))
        };
        Self {
            path,
            name: canonical(desk, path, name),
            arguments: known.iter().filter_map(argument).collect(),
        }
    }

    pub(super) fn argument(&self, name: &str) -> Option<&str> {
        let found = self.arguments.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The same as it stands in a form: empty where it was not given.
    pub(super) fn given(&self, name: &str) -> &str {
        self.argument(name).unwrap_or_default()
    }

    /// Some of the arguments in this order, as they stand in a form.
    pub(super) fn all<'a>(
        &'a self,
        names: &'a [&'static str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        names.iter().map(|name| (*name, self.given(name)))
    }

    /// `light` or `dark` where the embedding page fixes it; else the reader's setting counts.
    pub(super) fn theme(&self) -> &'static str {
        match self.argument("theme") {
            Some("light") => "light",
            Some("dark") => "dark",
            Some(_) | None => "",
        }
    }

    /// All of it, as a name under which the document is kept.
    pub(super) fn key(&self) -> String {
        if self.path.starts_with("/widget/") {
            let others = self.arguments.iter().filter(|(name, _)| *name != "theme");
            let others: Vec<_> = others.collect();
            return format!("{} {:?} {} {others:?}", self.path, self.name, self.theme());
        }
        format!("{} {:?} {:?}", self.path, self.name, self.arguments)
    }
}

/// A value of the query string.
fn argument(query: Option<&str>, name: &str) -> Option<String> {
    url::form_urlencoded::parse(query?.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .filter(|value| !value.is_empty())
        .map(|value| {
            let most = match name {
                "series" | "url" => MAX_LIST,
                _ => MAX_ARGUMENT,
            };
            value.chars().take(most).collect()
        })
}

/// A name as there is one of: a series is called by many, and each would be a page of its own.
fn canonical(desk: &Desk, path: &str, name: &str) -> String {
    let (series, form) = match path {
        SERIES | METRIC => (name, ""),
        CHART => name.split_at(name.rfind('.').unwrap_or(name.len())),
        _ => return name.to_owned(),
    };
    match desk.known(series) {
        Ok(Some(id)) => format!("{}{}", desk.shown_id(&id), form.to_ascii_lowercase()),
        // The page says what is wrong.
        Ok(None) | Err(_) => name.to_owned(),
    }
}

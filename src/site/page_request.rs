//! The arguments of a page request, limited to those that the page defines.

use super::prelude::*;
use econoscope_answers::dates::parse_as_of;
use econoscope_core::error::single_line;

/// Path of the page of a series.
pub(super) const SERIES_PATH: &str = "/series/{name}";
/// Path of the picture of a series.
pub(super) const CHART_PATH: &str = "/chart/{name}";
/// Path of the widget of a series.
pub(super) const METRIC_PATH: &str = "/widget/metric/{name}";

/// The range that a page shows by default.
pub(super) const DEFAULT_RANGE: &str = "10y";

/// Maximum characters of an argument; the rest is cut off.
const MAX_ARGUMENT: usize = 80;
/// Maximum characters of an argument with up to eight formulas, or of an address with them.
const MAX_LIST: usize = 900;

/// A request for a page.
#[derive(Debug)]
pub(super) struct PageRequest {
    /// Path of the route, with its placeholder.
    pub(super) path: &'static str,
    /// The value of the placeholder. A known series has its canonical identifier here.
    pub(super) name: String,
    arguments: Vec<(&'static str, String)>,
}

impl PageRequest {
    /// Reads the arguments named in `groups` from a query string and ignores all others.
    pub(super) fn parse(
        desk: &Desk,
        path: &'static str,
        groups: &[&[&'static str]],
        name: &str,
        query: Option<&str>,
    ) -> Self {
        let has_default_range = matches!(path, SERIES_PATH | CHART_PATH);
        // Widgets ignore an unknown theme, so that it shares the cached document of the default theme.
        let is_widget = path.starts_with("/widget/");
        let is_ignored = |name: &str, value: &str| {
            is_widget && name == "theme" && !matches!(value, "light" | "dark")
        };
        let argument = |name: &&'static str| {
            let default = (has_default_range && *name == "start").then(|| DEFAULT_RANGE.to_owned());
            let value = query_value(query, name).filter(|value| !is_ignored(name, value));
            Some((*name, value.or(default)?))
        };
        let names = groups.iter().copied().flatten();
        Self {
            path,
            name: canonical_name(desk, path, &single_line(name)),
            arguments: names.filter_map(argument).collect(),
        }
    }

    /// Returns an argument; `None` where it is absent or empty.
    pub(super) fn argument(&self, name: &str) -> Option<&str> {
        let mut arguments = self.arguments.iter();
        arguments.find_map(|(key, value)| (*key == name).then_some(value.as_str()))
    }

    /// Returns an argument as the value of a form field: empty where it is absent.
    pub(super) fn form_value(&self, name: &str) -> &str {
        self.argument(name).unwrap_or_default()
    }

    /// Returns names and form values of some arguments, in the order of `names`.
    pub(super) fn form_values<'a>(
        &'a self,
        names: &'a [&'static str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> + Clone {
        names.iter().map(|name| (*name, self.form_value(name)))
    }

    /// Returns the reference day.
    ///
    /// # Errors
    /// [`InvalidParam`](econoscope_core::error::Error::InvalidParam) for an argument `as_of` that is not a past day.
    pub(super) fn as_of(&self, desk: &Desk) -> Result<AsOf> {
        parse_as_of(desk, self.argument("as_of"))
    }

    /// Returns the key of the rendered document in the cache.
    pub(super) fn cache_key(&self) -> String {
        let Self { path, name, .. } = self;
        format!("{path} {name:?} {:?}", self.arguments)
    }
}

/// Returns the first value of a name in a query string; `None` where it is absent or empty.
fn query_value(query: Option<&str>, name: &str) -> Option<String> {
    let max_chars = match name {
        "series" | "url" => MAX_LIST,
        _ => MAX_ARGUMENT,
    };
    let mut pairs = url::form_urlencoded::parse(query?.as_bytes());
    // Of two fields of a form the first that is filled counts: a day beside a hidden range.
    let (_, value) = pairs.find(|(key, value)| key == name && !value.trim().is_empty())?;
    // Pages print it, so it has no character that a format forbids.
    let text = single_line(&value.chars().take(max_chars).collect::<String>());
    (!text.is_empty()).then_some(text)
}

/// Replaces an alias of a series by its identifier, so that all aliases share one document.
fn canonical_name(desk: &Desk, path: &str, name: &str) -> String {
    let (series, extension) = match path {
        SERIES_PATH | METRIC_PATH => (name, ""),
        CHART_PATH => name.split_at(name.rfind('.').unwrap_or(name.len())),
        _ => return name.to_owned(),
    };
    match desk.find_id(series) {
        Ok(Some(id)) => desk.display_id(&id) + &extension.to_ascii_lowercase(),
        // The page reports the error.
        Ok(None) | Err(_) => name.to_owned(),
    }
}

//! What a recipe must keep to before it is believed.

use super::shape::{Feed, Format, Line, Recipe};
use super::terms::Split;
use crate::error::{Error, Result};
use crate::model::SeriesId;
use url::Url;

impl Recipe {
    /// Reads a recipe.
    ///
    /// # Errors
    /// [`Error::BadFile`] that names the file and the key.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let bad = |problem: String| Error::bad_file(file, problem);
        let recipe: Self = toml::from_str(text).map_err(|e| bad(e.to_string()))?;
        recipe.check().map_err(bad)?;
        Ok(recipe)
    }

    fn check(&self) -> std::result::Result<(), String> {
        let source = &self.source;
        let plain = |id: &str| {
            let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
            !id.is_empty() && id.bytes().all(fits)
        };
        let ours = match self.feed.is_empty() {
            // What FRED asks for stands in a file as well.
            true => &["import", "computed", "bundled"][..],
            false => &["import", "computed", "bundled", "fred"],
        };
        if !plain(&source.id) || ours.contains(&source.id.as_str()) {
            return Err("source.id must be lower-case letters, digits and underscores, and not a word the program uses itself".to_owned());
        }
        if let Some(key) = &source.key
            && key.query.is_some() == key.header.is_some()
        {
            return Err("source.key needs either `query` or `header`".to_owned());
        }
        for (at, feed) in self.feed.iter().enumerate() {
            let id = &feed.id;
            let again = self.feed.iter().take(at).any(|other| other.id == *id);
            if !plain(id) || again {
                return Err(format!("feed.id \"{id}\" is no name, or stands twice"));
            }
            let checked = self.check_feed(feed);
            checked.map_err(|problem| format!("feed {id}: {problem}"))?;
        }
        Ok(())
    }

    fn check_feed(&self, feed: &Feed) -> std::result::Result<(), String> {
        if feed.series.is_empty() {
            return Err("`series` is empty".to_owned());
        }
        if feed.format == Format::Formula {
            return feed.series.iter().try_for_each(check_formula);
        }
        let url = Url::parse(&feed.url).map_err(|e| format!("url: {e}"))?;
        let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost"));
        if url.scheme() != "https" && !(url.scheme() == "http" && (feed.plain_http || loopback)) {
            return Err("url must be https, or say `plain_http = true`".to_owned());
        }
        let host = url.host_str().unwrap_or_default();
        if !self.source.hosts.iter().any(|allowed| allowed == host) {
            return Err(format!("{host} is not one of source.hosts"));
        }
        let tabular = matches!(feed.format, Format::Csv | Format::Json);
        let has_dates = feed.date.as_ref().is_some_and(|d| !d.formats.is_empty());
        if tabular && !has_dates {
            return Err("`date` with `formats` is missing".to_owned());
        }
        if matches!(feed.split, Some(Split::Window { days, .. }) if days < 1) {
            return Err("split.days must be 1 or more".to_owned());
        }
        let keyed = feed.url.contains("{series}");
        for line in &feed.series {
            let id = &line.id;
            if SeriesId::new(id.as_str()).ok().as_ref() != Some(id) {
                return Err(format!("{id} is not a series identifier in capitals"));
            }
            if line.formula.is_some() || !line.of.is_empty() {
                return Err(format!("{id}: a formula needs the format \"formula\""));
            }
            if line.field.is_empty()
                || line.scale == 0.0
                || !line.scale.is_finite()
                || (keyed && line.key.is_empty())
            {
                return Err(format!(
                    "{id}: needs a `field`, a `scale` other than 0, and a `key` where the address has {{series}}"
                ));
            }
        }
        Ok(())
    }
}

fn check_formula(line: &Line) -> std::result::Result<(), String> {
    match (line.formula, line.of.is_empty()) {
        (Some(_), false) => Ok(()),
        _ => Err(format!("{}: needs `formula` and `of`", line.id)),
    }
}

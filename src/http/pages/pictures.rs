//! Charts as files: `/chart/DGS10.png` and `/chart/DGS10.svg`, with `start` and `theme`.

use super::{Asked, argument};
use crate::chart::{ChartSpec, Theme};
use crate::desk::Desk;
use crate::endpoints::recessions;
use crate::error::{Error, Result};
use crate::http::document::Document;
use crate::model::AsOf;

pub(super) fn page(desk: &Desk, asked: &Asked) -> Result<Document> {
    let (name, form) = asked.name.rsplit_once('.').unwrap_or((&asked.name, ""));
    let query = asked.query.as_deref();
    let theme = match argument(query, "theme").as_deref() {
        None if form == "svg" => Theme::Auto,
        None | Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        Some(other) => {
            return Err(Error::invalid(
                "theme",
                other,
                "is not a theme",
                "light or dark",
            ));
        }
    };
    let info = desk.resolve("series", name)?;
    let series = desk.series_or_reason(&info, AsOf::Latest)?;
    let (_, start, end) = super::series::range(&series, argument(query, "start").as_deref())?;
    let spec = ChartSpec::of(&series, start, end)
        .shaded(recessions())
        .credited(desk.attribution().text)
        .themed(theme);
    match form.to_ascii_lowercase().as_str() {
        "png" => Ok(Document::picture("image/png", crate::chart::png(&spec)?)),
        "svg" => Ok(Document::picture(
            "image/svg+xml",
            crate::chart::svg(&spec).into_bytes(),
        )),
        _ => Err(Error::invalid(
            "chart",
            &asked.name,
            "has no known form",
            "a series with .png or .svg, such as DGS10.png",
        )),
    }
}

/// The mark of the site for browsers that ask for it by habit.
pub(super) fn icon(_: &Desk, _: &Asked) -> Result<Document> {
    let mark = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"M1 12l4-5 4 3 6-8\" \
        fill=\"none\" stroke=\"#1d4f80\" stroke-width=\"2\"/></svg>";
    Ok(Document::picture("image/svg+xml", mark.as_bytes().to_vec()))
}

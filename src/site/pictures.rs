//! Charts as files: `/chart/DGS10.png` and `/chart/DGS10.svg`, and several series in `/chart/compare.png`.

use super::asked::Asked;
use super::document::Document;
use super::figures::word;
use super::quadrant::Words;
use super::questions::Answers;
use super::text::plain;
use super::view::View;
use super::{compare, home, quadrant};
use crate::chart::{ChartSpec, Extent, Theme};
use crate::desk::Desk;
use crate::endpoints::regime::RegimeAnswer;
use crate::error::{Error, Result};
use crate::indicators::prose::signed;

pub(super) fn page(desk: &Desk, asked: &Asked, _: Answers) -> Result<Document> {
    let (name, form) = asked.name.rsplit_once('.').unwrap_or((&asked.name, ""));
    let theme = theme(asked, form)?;
    let info = desk.resolve("series", name)?;
    let view = View::of(asked, &desk.shown_id(&info.id), super::series::FIRST);
    let (mut spec, _) = view.read(desk)?;
    spec.title.clone_from(&info.title);
    spec.source.clone_from(&info.source);
    drawn(desk, spec, theme, form)
}

/// The plane of the regime as a picture.
pub(super) fn regime(desk: &Desk, asked: &Asked, mut answers: Answers) -> Result<Document> {
    let form = asked.path.rsplit_once('.').map_or("", |(_, form)| form);
    let theme = theme(asked, form)?;
    let o: RegimeAnswer = answers.read()?;
    let month = o.month.map(|m| format!("In {}", m.strftime("%B %Y")));
    let confidence = o.confidence.map(|c| format!("Confidence {} %", plain(c)));
    let growth = o
        .growth_score
        .map(|g| format!("Growth {} standard deviations", signed(g, 2)));
    let inflation = o
        .inflation_score
        .map(|i| format!("Inflation {} pp around target", signed(i, 2)));
    let words = Words {
        title: word(&o.regime).to_owned(),
        lines: [month, confidence, growth, inflation]
            .into_iter()
            .flatten()
            .collect(),
        credit: &desk.attribution().text,
    };
    let way = home::way(desk, &o, super::regime::MONTHS)?;
    let drawing = theme.coloured(quadrant::picture(&way, word(&o.regime), &words));
    match form {
        "png" => Ok(Document::picture(
            "image/png",
            crate::chart::raster(&drawing)?,
        )),
        _ => Ok(Document::picture("image/svg+xml", drawing.into_bytes())),
    }
}

/// Several series as a picture.
pub(super) fn comparison(desk: &Desk, asked: &Asked, _: Answers) -> Result<Document> {
    let form = asked.path.rsplit_once('.').map_or("", |(_, form)| form);
    let theme = theme(asked, form)?;
    let answer = compare::answer(desk, asked)?;
    let mut spec = super::charts::compared(&answer, (1100, 420));
    spec.source = "named per series".into();
    drawn(desk, spec, theme, form)
}

fn theme(asked: &Asked, form: &str) -> Result<Theme> {
    match asked.argument("theme") {
        None if form == "svg" => Ok(Theme::Auto),
        None | Some("light") => Ok(Theme::Light),
        Some("dark") => Ok(Theme::Dark),
        Some(other) => Err(Error::invalid(
            "theme",
            other,
            "is not a theme",
            "light or dark",
        )),
    }
}

fn drawn(desk: &Desk, spec: ChartSpec, theme: Theme, form: &str) -> Result<Document> {
    let spec = ChartSpec {
        extent: Extent::Whole,
        size: (800, 420),
        credit: desk.attribution().text,
        theme,
        ..spec
    };
    match form.to_ascii_lowercase().as_str() {
        "png" => Ok(Document::picture("image/png", crate::chart::png(&spec)?)),
        "svg" => Ok(Document::picture(
            "image/svg+xml",
            crate::chart::svg(&spec).into_bytes(),
        )),
        other => Err(Error::invalid(
            "chart",
            other,
            "is no known form",
            "a series with .png or .svg, such as DGS10.png",
        )),
    }
}

/// The mark of the site for browsers that ask for it by habit.
pub(super) fn icon(_: &Desk, _: &Asked, _: Answers) -> Result<Document> {
    let mark = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"M1 12l4-5 4 3 6-8\" \
        fill=\"none\" stroke=\"#1d4f80\" stroke-width=\"2\"/></svg>";
    Ok(Document::picture("image/svg+xml", mark.as_bytes().to_vec()))
}

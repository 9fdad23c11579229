//! Charts as files: `/chart/DGS10.png` and `/chart/DGS10.svg`, and several series in `/chart/compare.png`.

use super::asked::{CHART, PageRequest};
use super::document::Document;
use super::figures::word;
use super::quadrant::Words;
use super::questions::Answers;
use super::text::{plain, points};
use super::{cite, compare, home, quadrant, view};
use econoscope_answers::endpoints::regime::RegimeAnswer;
use econoscope_core::chart::{ChartSpec, Theme, png, svg};
use econoscope_core::error::{Error, Result};
use econoscope_data::desk::Desk;

pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let theme = theme(asked)?;
    let name = asked.name.rsplit_once('.').map_or(&*asked.name, |(n, _)| n);
    let info = desk.resolve("series", name)?;
    let id = desk.shown_id(&info.id);
    let mut spec = view::read(desk, &id, asked)?.spec;
    spec.title = match spec.has_ghost {
        false => info.title.clone(),
        true => format!("{}; grey: as known on {}", info.title, asked.given("as_of")),
    };
    spec.source.clone_from(&info.source);
    let credit = format!("{}, {}", desk.attribution().text, cite::short(desk, &id));
    // Where the source leaves room for it.
    if info.source.chars().count() + credit.chars().count() <= FOOT {
        spec.credit = credit;
    }
    whole(desk, asked, theme, spec)
}

/// Characters that have room at the foot of a picture.
const FOOT: usize = 90;

/// Several series as a picture.
pub(super) fn comparison(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let theme = theme(asked)?;
    let answer = compare::answer(desk, asked)?;
    let mut spec = super::charts::compared(&answer);
    spec.source = super::figures::cited(&answer.provenance);
    whole(desk, asked, theme, spec)
}

/// The plane of the regime as a picture.
pub(super) fn regime(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let theme = theme(asked)?;
    let o: RegimeAnswer = answers.read()?;
    let lines = [
        o.month.map(|m| format!("In {}", m.strftime("%B %Y"))),
        o.confidence.map(|c| format!("Confidence {} %", plain(c))),
        o.growth_score
            .map(|g| format!("Growth {} standard deviations", points(&g))),
        o.inflation_score
            .map(|i| format!("Inflation {} pp around target", points(&i))),
    ];
    let words = Words {
        title: word(&o.regime),
        lines: lines.into_iter().flatten().collect(),
        credit: &desk.attribution().text,
    };
    let way = home::way(desk, &o, super::regime::MONTHS)?;
    file(asked, theme.coloured(quadrant::picture(&way, &words)))
}

/// The form of a picture, `png` or `svg`, which stands behind the last dot of its address.
fn form(asked: &PageRequest) -> Result<&'static str> {
    let address = match asked.path {
        CHART => &asked.name,
        path => path,
    };
    let form = address.rsplit_once('.').map_or("", |(_, form)| form);
    let form = form.to_ascii_lowercase();
    let known = ["png", "svg"].into_iter().find(|known| *known == form);
    known.ok_or_else(|| {
        let allowed = "a series with .png or .svg, such as DGS10.png";
        Error::invalid("chart", &form, "is no known form", allowed)
    })
}

fn theme(asked: &PageRequest) -> Result<Theme> {
    match asked.argument("theme") {
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

/// A chart with the words around it.
fn whole(desk: &Desk, asked: &PageRequest, theme: Theme, mut spec: ChartSpec) -> Result<Document> {
    (spec.size, spec.theme) = ((800, 420), theme);
    if spec.credit.is_empty() {
        spec.credit = desk.attribution().text;
    }
    file(asked, svg(&spec))
}

/// A drawing in the form that was asked for.
fn file(asked: &PageRequest, drawing: String) -> Result<Document> {
    Ok(match form(asked)? {
        "png" => Document::picture("image/png", png(&drawing)?),
        _ => Document::picture("image/svg+xml", drawing.into_bytes()),
    })
}

/// The mark of the site for browsers that ask for it by habit.
pub(super) fn icon(_: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let mark = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"M1 12l4-5 4 3 6-8\" \
        fill=\"none\" stroke=\"#1d4f80\" stroke-width=\"2\"/></svg>";
    Ok(Document::picture("image/svg+xml", mark.as_bytes().to_vec()))
}

//! Charts as files: `/chart/DGS10.png` and `/chart/DGS10.svg`, and several series in `/chart/compare.png`.

use super::asked::PageRequest;
use super::charts::{self, Panels};
use super::document::Document;
use super::figures::word;
use super::quadrant::Words;
use super::questions::{Answers, Question};
use super::text::{plain, points, readable};
use super::{cite, compare, home, quadrant, view};
use econoscope_answers::endpoints::regime::RegimeAnswer;
use econoscope_core::chart::{ChartSpec, DENSITY, GHOST, Theme, panels, png};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::month;
use econoscope_core::model::AsOf;
use econoscope_data::desk::Desk;

/// Asked where answers are forwarded.
pub(super) fn questions(asked: &PageRequest) -> Vec<Question> {
    vec![view::question(stem(asked), asked)]
}

/// What a picture is of: its name without the form.
pub(super) fn stem(asked: &PageRequest) -> &str {
    let parts = asked.name.rsplit_once('.');
    parts.map_or(&*asked.name, |(stem, _)| stem)
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let info = desk.resolve("series", stem(asked))?;
    let id = desk.shown_id(&info.id);
    let mut spec = view::read(desk, &id, asked, &mut answers)?.spec;
    spec.title = charts::titled(&id, Some(&info.title));
    if spec.lines.iter().any(|line| line.color == GHOST) {
        spec.title += &known_on(asked);
    }
    spec.source.clone_from(&info.source);
    match answers.is_forwarded {
        // Citations are of figures held here.
        true => whole(desk, asked, (spec, Vec::new())),
        false => about(desk, asked, &id, spec),
    }
}

/// What is said of gray lines.
fn known_on(asked: &PageRequest) -> String {
    format!("; gray: as known on {}", readable(asked.given("as_of")))
}

/// A chart about one series as a picture that says where its figures are cited.
///
/// # Errors
/// [`Error::InvalidParam`] for a theme, a size or a form that there is not.
pub(super) fn about(
    desk: &Desk,
    asked: &PageRequest,
    id: &str,
    mut spec: ChartSpec,
) -> Result<Document> {
    let address = cite::short(desk, id);
    spec.credit = format!("{}, {address}", desk.attribution().text);
    whole(desk, asked, (spec, Vec::new()))
}

/// Several series as a picture.
pub(super) fn comparison(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let answer = compare::answer(desk, asked)?;
    let past = compare::past(desk, asked, &answer)?;
    let now = past.as_ref().map_or(&answer, |past| &past.now);
    let then = past.as_ref().map(|_| &answer);
    let (mut spec, others) = charts::compared((now, then), asked.given("units") == view::LOG);
    spec.source = super::figures::cited(&answer.provenance);
    if past.is_some() {
        spec.title += &known_on(asked);
    }
    whole(desk, asked, (spec, others))
}

/// The plane of the regime as a picture.
pub(super) fn regime(desk: &Desk, asked: &PageRequest, mut answers: Answers) -> Result<Document> {
    let theme = theme(asked)?;
    let o: RegimeAnswer = answers.read()?;
    let lines = [
        o.month.map(|m| format!("In {}", month(m))),
        o.confidence.map(|c| format!("Confidence {} %", plain(c))),
        o.growth_score
            .map(|g| format!("Growth {} standard deviations", points(&g))),
        o.inflation_score
            .map(|i| format!("Inflation {} points from target", points(&i))),
    ];
    let words = Words {
        title: word(&o.regime),
        lines: lines.into_iter().flatten().collect(),
        source: &super::figures::cited(&o.provenance),
        credit: &desk.attribution().text,
    };
    let way = home::way(desk, AsOf::Latest, &o, super::regime::MONTHS)?;
    let drawing = quadrant::picture(&way, &words);
    let (width, height) = size(asked)?.unwrap_or(SIZE);
    let usual = format!("width=\"{}\" height=\"{}\"", SIZE.0, SIZE.1);
    let wanted = format!("width=\"{width}\" height=\"{height}\"");
    file(asked, theme.coloured(drawing.replacen(&usual, &wanted, 1)))
}

/// The form of a picture, `png` or `svg`, which stands behind the last dot of its address.
fn form(asked: &PageRequest) -> Result<&'static str> {
    let address = match asked.name.as_str() {
        "" => asked.path,
        name => name,
    };
    let form = address.rsplit_once('.').map_or("", |(_, form)| form);
    let form = form.to_ascii_lowercase();
    let known = ["png", "svg"].into_iter().find(|known| *known == form);
    known.ok_or_else(|| {
        let allowed = "a name with .png or .svg, such as DGS10.png";
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

/// Width and height of a picture in units of its drawing.
const SIZE: (u16, u16) = (800, 420);
/// Least and greatest width and height that may be asked for.
const WIDTHS: (u16, u16) = (240, 2_400);
const HEIGHTS: (u16, u16) = (160, 1_600);

/// The size that is asked for; of one side alone, the other in the usual proportion.
fn size(asked: &PageRequest) -> Result<Option<(u16, u16)>> {
    let side = |name: &str, (least, most): (u16, u16)| {
        let Some(text) = asked.argument(name) else {
            return Ok(None);
        };
        let read = text.parse().ok().filter(|n| (least..=most).contains(n));
        let refuse = || {
            let allowed = format!("{least} to {most} pixels");
            Error::invalid(name, text, "is no size of a picture", &allowed)
        };
        read.map(Some).ok_or_else(refuse)
    };
    let (width, height) = (side("width", WIDTHS)?, side("height", HEIGHTS)?);
    let fitting = |of: u16, (by, to): (u16, u16), (least, most): (u16, u16)| {
        let size = u32::from(of) * u32::from(to) / u32::from(by);
        u16::try_from(size).unwrap_or(most).clamp(least, most)
    };
    Ok(match (width, height) {
        (None, None) => None,
        (Some(width), None) => Some((width, fitting(width, SIZE, HEIGHTS))),
        (None, Some(height)) => Some((fitting(height, (SIZE.1, SIZE.0), WIDTHS), height)),
        (Some(width), Some(height)) => Some((width, height)),
    })
}

/// A chart with the words around it.
fn whole(desk: &Desk, asked: &PageRequest, (mut spec, others): Panels) -> Result<Document> {
    let usual = match u16::try_from(others.len()).unwrap_or(0) {
        0 => SIZE,
        others => (SIZE.0, 300 + 150 * others),
    };
    (spec.size, spec.theme) = (size(asked)?.unwrap_or(usual), theme(asked)?);
    if spec.credit.is_empty() {
        spec.credit = desk.attribution().text;
    }
    file(asked, panels(&spec, &others))
}

/// A drawing in the form that was asked for.
fn file(asked: &PageRequest, drawing: String) -> Result<Document> {
    Ok(match form(asked)? {
        "png" => {
            // A size that is asked for is one of pixels.
            let density = if size(asked)?.is_some() { 1.0 } else { DENSITY };
            Document::picture("image/png", png(&drawing, density)?)
        }
        _ => Document::picture("image/svg+xml", drawing.into_bytes()),
    })
}

/// The mark of the site for browsers that ask for it by habit.
pub(super) fn icon(_: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let mark = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"M1 12l4-5 4 3 6-8\" \
        fill=\"none\" stroke=\"#1d4f80\" stroke-width=\"2\"/></svg>";
    Ok(Document::picture("image/svg+xml", mark.as_bytes().to_vec()))
}

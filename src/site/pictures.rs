//! Chart pictures as PNG and SVG: a series, a comparison, the regime.

use super::charts;
use super::frame;
use super::prelude::*;
use super::quadrant::{self, Picture};
use super::text::format_points;
use super::view::split_list;
use super::widgets::{format_sources, regime_label};
use super::{cite, compare, home, view};
use econoscope_answers::endpoints::regime::RegimeAnswer;
use econoscope_core::chart::{ChartSpec, DENSITY, Theme, render_panels, render_png};
use econoscope_core::format::month;

/// Arguments of every picture.
pub(super) const ARGUMENTS: [&str; 3] = ["theme", "width", "height"];

/// Default width and height in pixels.
const SIZE: (u16, u16) = (800, 420);
/// Minimum and maximum width and height.
const WIDTHS: (u16, u16) = (240, 2_400);
const HEIGHTS: (u16, u16) = (100, 1_600);

/// Work of drawing that a PNG of a requested size may take: its pixels, for each line and for two more. It is that of a series
/// with its figures of a past day at the largest size.
const MAX_WORK: usize = 4 * 2_400 * 1_600;
/// Work for the price of one page.
const WORK_PER_PAGE: usize = 3_000_000;

/// Returns the work of drawing `lines` in so many pixels.
fn work(width: u16, height: u16, lines: usize) -> usize {
    usize::from(width) * usize::from(height) * (lines + 2)
}

/// Returns how many usual pages a page costs: a picture costs by its pixels and lines.
pub(super) fn price(request: &PageRequest) -> u32 {
    if !request.path.starts_with("/chart/") {
        return 1;
    }
    // An invalid size is refused later.
    let (width, height) = size(request).ok().flatten().unwrap_or(SIZE);
    let series = split_list(request.form_value("series")).count().max(1);
    let vintages = 1 + usize::from(request.argument("as_of").is_some());
    let pages = work(width, height, series * vintages).div_ceil(WORK_PER_PAGE);
    u32::try_from(pages).unwrap_or(u32::MAX).max(1)
}

/// Checks that a PNG of a requested size does not take too long to draw.
///
/// # Errors
/// [`Error::InvalidParam`] that names the pixels for so many lines.
fn check_work(width: u16, height: u16, lines: usize) -> Result<()> {
    if work(width, height, lines) <= MAX_WORK {
        return Ok(());
    }
    let max = MAX_WORK / (lines + 2);
    Err(Error::invalid(
        "width",
        &format!("{width} by {height}"),
        &format!("is too large for a picture of {lines} lines"),
        &format!("at most {max} pixels in all, or an address with .svg"),
    ))
}

pub(super) fn calls(request: &PageRequest, _: bool) -> Vec<EndpointCall> {
    vec![view::figures_call(name(request), request)]
}

/// Returns the name in the path of a picture, without its extension.
pub(super) fn name(request: &PageRequest) -> &str {
    let parts = request.name.rsplit_once('.');
    parts.map_or(&*request.name, |(name, _)| name)
}

pub(super) fn series(desk: &Desk, request: &PageRequest, mut answers: Answers) -> Result<Document> {
    let info = desk.resolve("series", name(request))?;
    let id = desk.display_id(&info.id);
    let view = view::load(desk, &id, request, &mut answers)?;
    let mut spec = view.spec;
    let is_empty = spec.lines.iter().all(|line| line.points.is_empty());
    if is_empty && !answers.is_forwarded {
        // A range without figures has a picture; a series without any has a reason.
        desk.series_or_reason(&info, request.as_of(desk)?)?;
    }
    spec.title = charts::format_title(&id, Some(&info.title));
    if let Some(past) = view.comparison.filter(|past| !past.latest_path.is_empty()) {
        spec.title += &format!("; gray: {}", past.vintage);
    }
    spec.source.clone_from(&info.source);
    if answers.is_forwarded {
        // Only local figures have citations.
        render(desk, request, spec, &[])
    } else {
        render_with_citation(desk, request, &id, spec)
    }
}

/// Renders a chart with the address where the figures of a series are cited.
///
/// # Errors
/// [`Error::InvalidParam`] for an unknown theme, size or format.
pub(super) fn render_with_citation(
    desk: &Desk,
    request: &PageRequest,
    id: &str,
    mut spec: ChartSpec,
) -> Result<Document> {
    let address = format!("{}/cite/{}", cite::host(desk), encode_segment(id));
    spec.credit = format!("{}, {address}", desk.attribution().text);
    render(desk, request, spec, &[])
}

pub(super) fn comparison(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let answer = compare::fetch(desk, request)?;
    let vintages = compare::compare_vintages(desk, request, &answer)?;
    let now = vintages.as_ref().map(|(now, _)| now);
    let (mut spec, others) = charts::plot_comparison(request, &answer, now);
    spec.source = compare::publishers(desk, &answer);
    if now.is_some() {
        let day = format_dates(request.form_value("as_of"));
        spec.title += &format!("; gray: {}", answer.provenance.vintage().describe(&day));
    }
    render(desk, request, spec, &others)
}

pub(super) fn regime(desk: &Desk, request: &PageRequest, mut answers: Answers) -> Result<Document> {
    let theme = theme(request)?;
    let answer: RegimeAnswer = answers.read()?;
    let confidence = answer.confidence.map(format_exact);
    let growth = answer.growth_score.as_ref().map(format_points);
    let inflation = answer.inflation_score.as_ref().map(format_points);
    let lines = [
        answer.month.map(|date| format!("In {}", month(date))),
        confidence.map(|confidence| format!("Confidence {confidence} %")),
        growth.map(|growth| format!("Growth {growth} standard deviations")),
        inflation.map(|inflation| format!("Inflation {inflation} points from target")),
    ];
    let title = regime_label(&answer.regime);
    let path = home::regime_path(desk, AsOf::Latest, &answer, super::regime::MONTHS)?;
    let drawing = frame::render(&Picture {
        title,
        lines: lines.into_iter().flatten().collect(),
        source: &format_sources(&answer.provenance),
        credit: &desk.attribution().text,
        plane: quadrant::draw_large(&path, title)?,
    })?;
    let attributes = |(width, height)| format!("width=\"{width}\" height=\"{height}\"");
    let size = attributes(size(request)?.unwrap_or(SIZE));
    let resized = drawing.replacen(&attributes(SIZE), &size, 1);
    encode(request, theme.resolve_colours(resized))
}

/// Returns the format that the extension of the path names: `png` or `svg`.
fn format(request: &PageRequest) -> Result<&'static str> {
    let path = match request.name.as_str() {
        "" => request.path,
        name => name,
    };
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let lower = extension.to_ascii_lowercase();
    let format = ["png", "svg"].into_iter().find(|f| *f == lower);
    format.ok_or_else(|| {
        let allowed = "a name with .png or .svg, such as DGS10.png";
        Error::invalid("chart", &lower, "is not a supported format", allowed)
    })
}

fn theme(request: &PageRequest) -> Result<Theme> {
    match request.argument("theme") {
        None | Some("light") => Ok(Theme::Light),
        Some("dark") => Ok(Theme::Dark),
        Some(other) => {
            let allowed = "light or dark";
            Err(Error::invalid("theme", other, "is not a theme", allowed))
        }
    }
}

/// Returns the requested size. A missing side follows the default proportion.
fn size(request: &PageRequest) -> Result<Option<(u16, u16)>> {
    let side = |name: &str, (min, max): (u16, u16)| {
        let parse = |text: &str| {
            let size = text.parse().ok().filter(|n| (min..=max).contains(n));
            let allowed = format!("{min} to {max} pixels");
            size.ok_or_else(|| Error::invalid(name, text, "is not a valid size", &allowed))
        };
        request.argument(name).map(parse).transpose()
    };
    let scale = |size: u16, numerator: u16, denominator: u16, (min, max): (u16, u16)| {
        let size = u32::from(size) * u32::from(numerator) / u32::from(denominator);
        u16::try_from(size).unwrap_or(max).clamp(min, max)
    };
    Ok(match (side("width", WIDTHS)?, side("height", HEIGHTS)?) {
        (None, None) => None,
        (Some(width), None) => Some((width, scale(width, SIZE.1, SIZE.0, HEIGHTS))),
        (None, Some(height)) => Some((scale(height, SIZE.0, SIZE.1, WIDTHS), height)),
        (Some(width), Some(height)) => Some((width, height)),
    })
}

/// Renders a chart with title, source and credit.
///
/// # Errors
/// [`Error::InvalidParam`] for an unknown theme, size or format.
pub(super) fn render(
    desk: &Desk,
    request: &PageRequest,
    mut spec: ChartSpec,
    others: &[ChartSpec],
) -> Result<Document> {
    let default = match u16::try_from(others.len()).unwrap_or(0) {
        0 => SIZE,
        others => (SIZE.0, 300 + 150 * others),
    };
    let requested = size(request)?;
    if let Some((width, height)) = requested.filter(|_| format(request).is_ok_and(|f| f == "png")) {
        let specs = [&spec].into_iter().chain(others);
        check_work(width, height, specs.map(|s| s.lines.len().max(1)).sum())?;
    }
    (spec.size, spec.theme) = (requested.unwrap_or(default), theme(request)?);
    if spec.credit.is_empty() {
        spec.credit = desk.attribution().text;
    }
    encode(request, render_panels(&spec, others))
}

/// Encodes an SVG drawing in the requested format.
fn encode(request: &PageRequest, drawing: String) -> Result<Document> {
    if format(request)? == "svg" {
        return Ok(Document::picture("image/svg+xml", drawing));
    }
    // A requested size is in pixels.
    let density = size(request)?.map_or(DENSITY, |_| 1.0);
    let picture = render_png(&drawing, density)?;
    Ok(Document::picture("image/png", picture))
}

/// Renders the icon for browsers that request it at its default path.
pub(super) fn icon(_: &Desk, _: &PageRequest, _: Answers) -> Result<Document> {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"M1 12l4-5 4 3 6-8\" \
        fill=\"none\" stroke=\"#1d4f80\" stroke-width=\"2\"/></svg>";
    Ok(Document::picture("image/svg+xml", svg))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_is_refused_or_bounded_work() {
        for width in (WIDTHS.0..=WIDTHS.1).step_by(40) {
            for height in (HEIGHTS.0..=HEIGHTS.1).step_by(40) {
                for lines in 1..=16 {
                    let is_bounded = work(width, height, lines) <= MAX_WORK;
                    assert_eq!(check_work(width, height, lines).is_ok(), is_bounded);
                }
                assert!(
                    check_work(width, height, 2).is_ok(),
                    "a series with its past figures"
                );
            }
        }
        let refusal = check_work(2_400, 1_600, 16).unwrap_err().to_string();
        assert!(refusal.contains("at most 853333 pixels"), "{refusal}");
    }
}

//! The strip of a release: what is expected next as a dot with its band, and the last surprises as columns.

use super::calendar::{format_surprise, format_value};
use super::prelude::*;
use econoscope_answers::endpoints::release_calendar::{LastPrint, ScheduledFigure, surprises};
use econoscope_core::chart::escaped;

/// Surprises in a strip.
const SURPRISES: usize = 12;
/// Width of a column with the room around it, in percent: that of twelve.
const WIDTH: f64 = 100.0 / 12.0;
/// Standard deviations that columns show at least.
const LEAST_DEVIATIONS: f64 = 2.0;

/// The drawings of a strip, each with its caption. Both are HTML; none without a formula.
pub(super) struct Strip {
    pub(super) expectation: Option<(String, String)>,
    pub(super) columns: Option<(String, String)>,
    /// The newest surprises, the newest first.
    pub(super) surprises: Vec<LastPrint>,
}

impl Strip {
    /// Draws the strip of a figure.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(super) fn new(desk: &Desk, figure: &ScheduledFigure) -> Result<Self> {
        let info = desk.resolve("series", &figure.series_id)?;
        let newest = surprises(desk, &info, SURPRISES)?;
        Ok(Self {
            expectation: draw_expectation(figure),
            columns: draw_surprises(figure, &newest),
            surprises: newest,
        })
    }
}

/// Draws the expected next value as a dot in the band of past errors, and the last print as a ring.
fn draw_expectation(figure: &ScheduledFigure) -> Option<(String, String)> {
    let next = figure.next.as_ref()?;
    let half = next.p90.unwrap_or(next.sd);
    let last = figure.last.as_ref().map(|print| print.value);
    let ends = [next.value - half, next.value + half];
    let lowest = ends[0].min(last.unwrap_or(ends[0]));
    let highest = ends[1].max(last.unwrap_or(ends[1]));
    let range = highest - lowest;
    if range <= 0.0 || !range.is_finite() {
        return None;
    }
    let x = |value: f64| 4.0 + 92.0 * (value - lowest) / range;
    let [low, high] = ends.map(|end| format_value(figure, end));
    let expected = format_value(figure, next.value);
    let period = format_dates(&next.period);
    let band = match next.p90 {
        Some(_) => "nine in ten",
        None => "one standard deviation",
    };
    let ring = last.map(|value| {
        let cx = x(value);
        format!(r#"<circle class="ring" cx="{cx:.1}%" cy="18" r="5"/>"#)
    });
    let printed = last.map(|value| format!("; last print {} (ring)", format_value(figure, value)));
    let caption = format!(
        "Expected for {period}: {expected} (dot), {band} from {low} to {high} (band){}",
        printed.unwrap_or_default()
    );
    let label = escaped(&caption);
    let [left, dot, right] = [ends[0], next.value, ends[1]].map(x);
    let drawing = format!(
        r#"<svg role="img" aria-label="{label}" width="100%" height="46"><line class="scale" x1="0" x2="100%" y1="18" y2="18"/><line class="band" x1="{left:.1}%" x2="{right:.1}%" y1="18" y2="18"/>{}<circle class="dot" cx="{dot:.1}%" cy="18" r="6"/>{}{}</svg>"#,
        ring.unwrap_or_default(),
        draw_label(left, "start", &low),
        draw_label(right, "end", &high),
    );
    Some((drawing, format!("{caption}.")))
}

fn draw_label(x: f64, anchor: &str, text: &str) -> String {
    let text = escaped(text);
    format!(r#"<text x="{x:.1}%" y="42" text-anchor="{anchor}">{text}</text>"#)
}

/// Draws the last surprises in standard deviations, the oldest first. Those of a first print that is not held are pale.
fn draw_surprises(figure: &ScheduledFigure, prints: &[LastPrint]) -> Option<(String, String)> {
    let measured = prints.iter().rev();
    let known: Vec<_> = measured
        .filter_map(|print| Some((print, print.deviations?)))
        .collect();
    let (oldest, newest) = known.first().zip(known.last())?;
    let sizes = known.iter().map(|(_, z)| z.abs());
    let largest = sizes.fold(LEAST_DEVIATIONS, f64::max);
    let share = |z: f64| 42.0 * z / largest;
    let room = SURPRISES.saturating_sub(known.len());
    let mut columns = String::new();
    for ((print, z), place) in known.iter().zip(room..) {
        let place = u32::try_from(place).map_or(0.0, f64::from);
        let x = place * WIDTH + 1.2;
        let height = share(z.abs()).max(0.8);
        let y = 50.0 - if *z > 0.0 { height } else { 0.0 };
        let period = format_dates(&print.period);
        let text = format_surprise(figure, print).unwrap_or_default();
        let class = if print.recorded { "held" } else { "pale" };
        let title = escaped(&format!("{period}: {text}"));
        columns += &format!(
            r#"<rect class="{class}" x="{x:.1}%" y="{y:.1}%" width="6%" height="{height:.1}%"><title>{title}</title></rect>"#
        );
    }
    let mark = share(LEAST_DEVIATIONS);
    let [up, down] = [50.0 - mark, 50.0 + mark];
    let drawing = format!(
        r#"<svg role="img" aria-label="Surprises; the table has them" width="100%" height="110"><line class="scale" x1="0" x2="100%" y1="{up:.1}%" y2="{up:.1}%" stroke-dasharray="2 4"/><line class="scale" x1="0" x2="100%" y1="{down:.1}%" y2="{down:.1}%" stroke-dasharray="2 4"/><line class="zero" x1="0" x2="100%" y1="50%" y2="50%"/>{columns}</svg>"#
    );
    let has_pale = known.iter().any(|(print, _)| !print.recorded);
    let pale = has_pale.then_some("; pale where the first print is not held");
    let caption = format!(
        "Last {} surprises, {} to {}: print less expectation; dotted at two standard deviations{}.",
        known.len(),
        format_dates(&oldest.0.period),
        format_dates(&newest.0.period),
        pale.unwrap_or_default(),
    );
    Some((drawing, caption))
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_answers::endpoints::release_calendar::ExpectedPrint;
    use jiff::civil::date;

    fn print(period: &str, value: f64, expected: f64, recorded: bool) -> LastPrint {
        LastPrint {
            period: period.to_owned(),
            date: date(2026, 1, 9),
            recorded,
            value,
            expected: Some(expectation(expected)),
            surprise: Some(value - expected),
            deviations: Some((value - expected) / 50.0),
            missing: None,
        }
    }

    fn expectation(value: f64) -> ExpectedPrint {
        ExpectedPrint {
            period: "2026-01".to_owned(),
            value,
            sd: 50.0,
            p90: Some(80.0),
            notes: Vec::new(),
        }
    }

    /// Returns the numbers that follow a text in a drawing.
    fn places(drawing: &str, before: &str) -> Vec<f64> {
        let parts = drawing.split(before).skip(1);
        parts
            .map(|part| part.split('%').next().unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn dot_is_in_the_middle_of_its_band_and_the_ring_where_the_print_was() {
        for (value, last) in [(40.0, 30.0), (-300.0, 900.0), (0.0, 0.0)] {
            let figure = ScheduledFigure {
                measure: Some("change from the month before".to_owned()),
                unit: Some("thousand persons".to_owned()),
                next: Some(expectation(value)),
                last: Some(print("2025-12", last, 0.0, true)),
                ..ScheduledFigure::default()
            };
            let (drawing, _) = draw_expectation(&figure).unwrap();
            let [left, right] =
                ["band\" x1=\"", "x2=\""].map(|mark| *places(&drawing, mark).last().unwrap());
            let [dot, ring] = ["dot\" cx=\"", "ring\" cx=\""].map(|mark| places(&drawing, mark)[0]);
            assert!((left + right - 2.0 * dot).abs() < 0.11, "{drawing}");
            let scale = (right - left) / 160.0;
            assert!(
                (ring - dot - (last - value) * scale).abs() < 0.2,
                "{drawing}"
            );
            assert!((0.0..=100.0).contains(&ring), "{drawing}");
        }
        assert!(draw_expectation(&ScheduledFigure::default()).is_none());
    }

    #[test]
    fn columns_stand_on_zero_and_the_newest_is_at_the_right() {
        let prints = [
            print("2026-03", 100.0, 0.0, false),
            print("2026-02", -400.0, 0.0, true),
            print("2026-01", 0.0, 0.0, true),
        ];
        let (drawing, caption) = draw_surprises(&ScheduledFigure::default(), &prints).unwrap();
        let rows = places(&drawing, "\" y=\"");
        let heights = places(&drawing, "6%\" height=\"");
        let across = places(&drawing, " x=\"");
        assert!(across.is_sorted() && across[2] > 90.0, "{drawing}");
        // The largest fills its half, one a quarter as large is a quarter as high and stands above zero.
        assert_eq!((rows[1], heights[1], heights[2]), (50.0, 42.0, 10.5));
        assert!((rows[2] + heights[2] - 50.0).abs() < 0.06, "{drawing}");
        assert_eq!(drawing.matches("class=\"pale\"").count(), 1);
        assert!(caption.contains("pale where"), "{caption}");
        assert!(draw_surprises(&ScheduledFigure::default(), &[]).is_none());
    }
}

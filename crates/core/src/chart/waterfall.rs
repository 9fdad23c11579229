//! A waterfall: a bar for each part of a value, from where the one before it ended.

use super::frame::{Frame, chars};
use super::palette::{INK, LINES, MUTED, SHADE};
use super::spec::ChartSpec;
use super::unit::escaped;
use crate::format::{Unit, change_text};
use crate::indicators::statistics::count;
use crate::model::untrusted::truncate;

/// A bar of a waterfall.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bar {
    /// What it shows: "Term spread".
    pub name: String,
    /// What the part adds; of a total the value itself.
    pub value: f64,
    /// The same on an earlier day, drawn behind it; `None` where nothing is compared.
    pub before: Option<f64>,
    /// Whether it is the base or the value, which begin at zero.
    pub is_total: bool,
    /// Path of its series, to which it leads on a page; empty without one.
    pub link: String,
}

/// Where a bar begins and ends.
type Ends = Option<[f64; 2]>;

/// Least height of a row, in font sizes.
const MIN_ROW: f64 = 1.3;
/// Height of a row, in font sizes, and width of a drawing from which names are above the bars.
const STACKED_ROW: f64 = 2.7;
const NARROW: f64 = 520.0;
/// Width of a character, in font sizes.
const CHAR: f64 = 0.55;

impl Bar {
    /// Formats its value as a chart has it: "10.54 %" for a total, "+4.79 points" for a part.
    pub fn label(&self, spec: &ChartSpec) -> String {
        let unit = Unit::parse(&spec.unit_short, &spec.unit);
        let decimals = usize::from(spec.decimals);
        if self.is_total {
            unit.write(self.value, decimals)
        } else {
            change_text(&unit, &spec.unit_short, self.value, decimals)
        }
    }
}

/// Describes the bars, for screen readers.
pub(super) fn describe(spec: &ChartSpec) -> String {
    let bars = spec.bars.iter();
    bars.map(|bar| format!(". {}: {}", bar.name, bar.label(spec)))
        .collect()
}

/// Returns where each bar begins and ends, now or before.
fn ends(bars: &[Bar], value: impl Fn(&Bar) -> Option<f64>) -> Vec<Ends> {
    let mut end = 0.0;
    let mut next = |bar: &Bar| {
        let from = if bar.is_total { 0.0 } else { end };
        end = from + value(bar)?;
        Some([from, end])
    };
    bars.iter().map(&mut next).collect()
}

/// Joins the smallest parts to one, so that at most `max` bars remain and still add up.
fn joined(bars: &[Bar], max: usize) -> Vec<Bar> {
    if bars.len() <= max {
        return bars.to_vec();
    }
    let mut smallest: Vec<&Bar> = bars.iter().filter(|bar| !bar.is_total).collect();
    smallest.sort_by(|a, b| a.value.abs().total_cmp(&b.value.abs()));
    // One bar is for those that are joined.
    smallest.truncate(bars.len() + 1 - max);
    let is_kept = |bar: &&Bar| !smallest.iter().any(|other| std::ptr::eq(*other, *bar));
    let mut shown: Vec<Bar> = bars.iter().filter(is_kept).cloned().collect();
    let others = Bar {
        name: format!("{} others", smallest.len()),
        value: smallest.iter().map(|bar| bar.value).sum(),
        before: smallest.iter().map(|bar| bar.before).sum(),
        ..Bar::default()
    };
    shown.insert(shown.len().saturating_sub(1), others);
    shown
}

/// The rows of a waterfall, and the scale of their values.
struct Rows {
    margin: f64,
    height: f64,
    /// Height of a bar, and how far its middle and the text are below the top of its row.
    thickness: f64,
    middle: f64,
    baseline: f64,
    /// Most characters of a name.
    name_chars: usize,
    /// Place of the value zero, and width of one.
    zero: f64,
    scale: f64,
}

impl Rows {
    fn new(frame: &Frame, margin: f64, height: f64, bars: &[Bar], all: &[Ends]) -> Self {
        let size = frame.font_size;
        let is_stacked = frame.width < NARROW && height >= size * STACKED_ROW;
        let width = |chars: Option<usize>| count(chars.unwrap_or(0)) * size * CHAR;
        let labels = bars.iter().map(|b| b.label(frame.spec).chars().count());
        let label = width(labels.max()) + 10.0;
        let free = frame.width - 2.0 * margin - label - 10.0;
        let names = width(bars.iter().map(|b| b.name.chars().count()).max()).min(free * 0.55);
        let (room, place, plot, middle) = if is_stacked {
            (free, margin, frame.width - 2.0 * margin, height * 0.72)
        } else {
            (names, margin + names + 10.0, free - names, height * 0.5)
        };
        let values = || all.iter().flatten().flatten().copied();
        let low = values().fold(0.0, f64::min);
        let high = values().fold(low + 1e-9, f64::max);
        let scale = plot.max(1.0) / (high - low);
        Self {
            margin,
            height,
            thickness: (height * if is_stacked { 0.3 } else { 0.5 }).min(size * 2.4),
            middle,
            baseline: if is_stacked {
                size * 1.15
            } else {
                middle + size * 0.35
            },
            name_chars: chars(room, size * CHAR).max(4),
            zero: place - low * scale,
            scale,
        }
    }

    /// Draws a bar around the middle of a row.
    fn draw(&self, [from, to]: [f64; 2], top: f64, thickness: f64, style: &str) -> String {
        let x = self.zero + from.min(to) * self.scale;
        let width = ((to - from).abs() * self.scale).max(1.0);
        let y = top + self.middle - thickness / 2.0;
        format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{thickness:.1}" {style}/>"#
        )
    }
}

impl Frame<'_> {
    /// Draws the bars of the current panel between two heights, with names to the left and values to the right.
    pub(super) fn draw_bars(&mut self, margin: f64, top: f64, bottom: f64) {
        let room = (bottom - top) / (self.font_size * MIN_ROW);
        let max = (3..60).rfind(|rows| count(*rows) <= room).unwrap_or(3);
        let bars = joined(&self.spec.bars, max);
        let now = ends(&bars, |bar| Some(bar.value));
        let before = ends(&bars, |bar| bar.before);
        let height = (bottom - top) / count(bars.len().max(1));
        let all = [now.as_slice(), before.as_slice()].concat();
        let rows = Rows::new(self, margin, height, &bars, &all);
        let zero = rows.zero;
        self.out += &format!(r#"<path d="M{zero:.1} {top:.1}V{bottom:.1}" stroke="{MUTED}"/>"#);
        let mut row_top = top;
        for ((bar, own), pale) in bars.iter().zip(now).zip(before) {
            if let Some(pale) = pale {
                let style = format!(r#"fill="{SHADE}" stroke="{MUTED}" stroke-width="0.8""#);
                self.out += &rows.draw(pale, row_top, rows.thickness * 1.5, &style);
            }
            self.draw_bar(bar, own.unwrap_or_default(), row_top, &rows);
            let end = zero + own.unwrap_or_default()[1] * rows.scale;
            row_top += height;
            // A thin line leads to the next bar, which begins there.
            if row_top < bottom - 1.0 {
                let to = row_top + rows.middle - rows.thickness / 2.0;
                let from = to + rows.thickness - height;
                self.out += &format!(r#"<path d="M{end:.1} {from:.1}V{to:.1}" "#);
                self.out += &format!(r#"stroke="{MUTED}" stroke-dasharray="2 2"/>"#);
            }
        }
    }

    fn draw_bar(&mut self, bar: &Bar, ends: [f64; 2], top: f64, rows: &Rows) {
        let is_link = self.has_links && !bar.link.is_empty();
        let width = self.width;
        if is_link {
            let link = escaped(&bar.link);
            let height = rows.height;
            self.out += &format!(r#"<a href="{link}"><rect y="{top:.1}" width="{width}" "#);
            self.out += &format!(r#"height="{height:.1}" fill="none" pointer-events="all"/>"#);
        }
        let [up, down, ..] = LINES;
        let colour = match bar.value {
            _ if bar.is_total => MUTED,
            value if value < 0.0 => down,
            _ => up,
        };
        let style = format!(r#"fill="{colour}""#);
        self.out += &rows.draw(ends, top, rows.thickness, &style);
        let y = top + rows.baseline;
        let ink = if is_link { up } else { INK };
        self.draw_text(rows.margin, y, ink, &truncate(&bar.name, rows.name_chars));
        let weight = if bar.is_total { "600" } else { "400" };
        let edge = width - rows.margin;
        let label = escaped(&bar.label(self.spec));
        self.out += &format!(r#"<text x="{edge:.1}" y="{y:.1}" text-anchor="end" "#);
        self.out += &format!(r#"font-weight="{weight}" fill="{INK}">{label}</text>"#);
        self.out += if is_link { "</a>" } else { "" };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: &[f64]) -> Vec<Bar> {
        let parts = values.iter().map(|value| Bar {
            name: format!("part {value}"),
            value: *value,
            before: Some(-value),
            ..Bar::default()
        });
        let total = Bar {
            name: "Value".to_owned(),
            value: values.iter().sum(),
            before: Some(-values.iter().sum::<f64>()),
            is_total: true,
            ..Bar::default()
        };
        parts.chain([total]).collect()
    }

    #[test]
    fn each_bar_begins_where_the_one_before_it_ended() {
        let bars = bars(&[10.0, 4.0, -6.0]);
        let now = [[0.0, 10.0], [10.0, 14.0], [14.0, 8.0], [0.0, 8.0]];
        assert_eq!(ends(&bars, |bar| Some(bar.value)), now.map(Some));
        let before = ends(&bars, |bar| bar.before);
        assert_eq!(before.last(), Some(&Some([0.0, -8.0])));
    }

    proptest::proptest! {
        #[test]
        fn joined_bars_add_up(values in proptest::collection::vec(-9i32..9, 1..30), max in 3usize..12) {
            let all = bars(&values.into_iter().map(f64::from).collect::<Vec<_>>());
            let few = joined(&all, max);
            assert!(few.len() <= max.max(3).min(all.len()));
            let sum: f64 = few.iter().filter(|bar| !bar.is_total).map(|bar| bar.value).sum();
            assert_eq!(few.last().map(|bar| bar.value), Some(sum));
        }
    }
}

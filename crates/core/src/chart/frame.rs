//! Renders a chart as SVG: background, title, plots with axes and last values, source and credit.

use super::palette::{INK, MUTED, PAPER, RULE, SHADE, Theme};
use super::plot::Plot;
use super::spec::{ChartSpec, Line};
use super::unit::{Scale, escaped};
use crate::format::number;
use crate::model::Observation;
use crate::model::untrusted::truncate;
use std::fmt::Display;

/// Font families: the one that pictures embed, then the reader's own.
pub const FONTS: &str =
    "Inter, system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif";

/// A drawing in progress.
pub(super) struct Frame<'a> {
    pub(super) out: String,
    /// The current panel.
    pub(super) spec: &'a ChartSpec,
    /// The scale of the current panel.
    scale: Scale,
    pub(super) width: f64,
    height: f64,
    pub(super) font_size: f64,
    title_size: f64,
    margin: f64,
    /// Whether bars lead to their series.
    pub(super) has_links: bool,
    /// Whether there is room for a title, a plot and a line of source and address only.
    is_compact: bool,
}

/// Font size and height of a picture of the default size, from which type of other sizes is scaled.
const FONT_SIZE: f64 = 13.0;
const DEFAULT_SIDE: f64 = 580.0;
/// Smallest type of a picture, and of one that is lower than `COMPACT_HEIGHT`.
const MIN_FONT_SIZES: [f64; 2] = [11.5, 9.0];
const COMPACT_HEIGHT: f64 = 180.0;

/// Renders a chart as SVG. A chart without a point says so instead of showing an empty grid.
pub fn render_svg(spec: &ChartSpec) -> String {
    render_panels(spec, &[])
}

/// Renders a chart and others below it, one for each unit, in one drawing with the title, source and size of the first.
pub fn render_panels(spec: &ChartSpec, others: &[ChartSpec]) -> String {
    let width = f64::from(spec.size.0);
    let height = f64::from(spec.size.1);
    let is_picture = spec.theme != Theme::Page;
    let is_compact = is_picture && height < COMPACT_HEIGHT;
    let [min, min_compact] = MIN_FONT_SIZES;
    // Of a page the reader sets the size of type, of a picture its own size does.
    let font_size = if is_compact {
        min_compact
    } else if is_picture {
        let scaled = (width * height).sqrt() / DEFAULT_SIDE * FONT_SIZE;
        ((scaled * 2.0).round() / 2.0).max(min)
    } else if width >= 600.0 {
        FONT_SIZE
    } else {
        min
    };
    let title_share = if font_size < FONT_SIZE { 1.3 } else { 1.54 };
    let frame = Frame {
        out: String::with_capacity(16_384),
        spec,
        scale: spec.scale(),
        width,
        height,
        font_size,
        title_size: (font_size * title_share).round(),
        margin: if is_compact {
            10.0
        } else {
            (20.0 * font_size / FONT_SIZE).max(18.0)
        },
        has_links: !is_picture && !spec.bars.is_empty(),
        is_compact,
    };
    spec.theme.resolve_colours(frame.render(others))
}

impl<'a> Frame<'a> {
    /// Opens the drawing, with its description.
    fn open(&mut self, others: &[ChartSpec]) {
        let width = self.width;
        let height = self.height;
        let font_size = self.font_size;
        let size = format!(r#"viewBox="0 0 {width} {height}" width="{width}" height="{height}""#);
        let role = if self.has_links { "group" } else { "img" };
        let other_lines: String = others.iter().map(ChartSpec::describe_lines).collect();
        let label = escaped(&(self.spec.describe() + &other_lines));
        self.out += &format!(r#"<svg xmlns="http://www.w3.org/2000/svg" {size} role="{role}" "#);
        self.out += &format!(r#"aria-label="{label}" font-family="{FONTS}" "#);
        self.out += &format!(r#"font-size="{font_size}">"#);
    }

    fn render(mut self, others: &'a [ChartSpec]) -> String {
        self.open(others);
        let width = self.width;
        let height = self.height;
        let font_size = self.font_size;
        let (margin, top, bottom) = if self.spec.theme == Theme::Page {
            (2.0, 10.0, height - font_size - 8.0)
        } else {
            let lines = if self.is_footer_stacked() { 4.0 } else { 2.6 };
            let top = self.draw_header(!others.is_empty());
            self.draw_footer();
            let bottom = height - self.margin - font_size * lines;
            (self.margin, top, bottom)
        };
        let specs: Vec<&ChartSpec> = std::iter::once(self.spec).chain(others).collect();
        // Days are below each plot; the unit is above it if there are several.
        let days_height = font_size + 8.0;
        let unit_height = font_size * if others.is_empty() { 0.0 } else { 2.2 };
        let count = f64::from(u32::try_from(specs.len()).unwrap_or(1));
        let height = (bottom + days_height - top) / count;
        let mut panels = Vec::new();
        let mut panel_top = top;
        for spec in specs {
            self.set_panel(spec);
            let base = panel_top + height - days_height;
            let plot = self.place_plot(margin, panel_top + unit_height, base);
            panels.push((spec, plot, base));
            panel_top += height;
        }
        let plots = || panels.iter().filter_map(|(_, plot, _)| plot.as_ref());
        let left = plots().map(|p| p.left).fold(0.0, f64::max);
        let right = plots().map(|p| p.left + p.width).fold(width, f64::min);
        for (spec, plot, base) in panels {
            self.set_panel(spec);
            let panel = base - (height - days_height);
            if unit_height > 0.0 {
                let y = panel + unit_height - font_size * 0.9;
                self.draw_text(margin, y, MUTED, &spec.unit_heading());
            }
            if !spec.bars.is_empty() {
                let bottom = base + days_height - 6.0;
                self.draw_bars(margin, panel + unit_height, bottom);
                continue;
            }
            let Some(mut plot) = plot else {
                let x = width / 2.0;
                let y = base - (height - days_height) / 2.0;
                let text = "No observations in this range";
                self.out += &format!(r#"<text x="{x}" y="{y}" text-anchor="middle" "#);
                self.out += &format!(r#"fill="{MUTED}">{text}</text>"#);
                continue;
            };
            // All panels have the same time axis.
            (plot.left, plot.width) = (left, (right - left).max(1.0));
            self.draw_plot(&plot);
        }
        self.out + "</svg>"
    }

    fn set_panel(&mut self, spec: &'a ChartSpec) {
        self.spec = spec;
        self.scale = spec.scale();
    }

    pub(super) fn draw_text(&mut self, x: impl Display, y: f64, fill: &str, text: &str) {
        let text = escaped(text);
        self.out += &format!(r#"<text x="{x}" y="{y:.1}" fill="{fill}">{text}</text>"#);
    }

    /// Draws background, title, lead and unit. Returns the top of the plots.
    fn draw_header(&mut self, has_others: bool) -> f64 {
        let spec = self.spec;
        let width = self.width;
        let size = self.title_size;
        let max = self.max_chars();
        let height = self.height;
        let left = self.margin;
        self.out += &format!(r#"<rect width="{width}" height="{height}" fill="{PAPER}"/>"#);
        let first = left + size * 0.75;
        let mut y = first;
        let title_chars = chars(width, size * 0.7);
        let title = if self.is_compact {
            vec![truncate(&spec.title, title_chars)]
        } else {
            wrap(&spec.title, title_chars)
        };
        for (line, row) in title.iter().zip(0u8..) {
            y = first + f64::from(row) * size * 1.25;
            let line = escaped(line);
            self.out += &format!(r#"<text x="{left}" y="{y}" font-size="{size}" "#);
            self.out += &format!(r#"font-weight="600" fill="{INK}">{line}</text>"#);
        }
        if self.is_compact {
            return y + self.font_size * 1.2;
        }
        if !spec.lead.is_empty() {
            y += self.font_size * 0.4;
            for line in wrap(&spec.lead, max) {
                y += self.font_size * 1.5;
                self.draw_text(left, y, INK, &line);
            }
        }
        y += self.font_size * 0.1;
        for line in wrap(&self.describe_unit(has_others), max) {
            y += self.font_size * 1.5;
            self.draw_text(left, y, MUTED, &line);
        }
        y + self.font_size * 1.4
    }

    /// Describes unit, range and shading below the title.
    fn describe_unit(&self, has_others: bool) -> String {
        let spec = self.spec;
        let mut unit = if has_others {
            String::from("A panel for each unit")
        } else {
            spec.unit_heading()
        };
        if let Some((first, last)) = spec.dates() {
            let [from, to] = [first, last].map(|day| spec.format_period(day));
            unit += &format!(", {from} to {to}");
            let mut spans = spec.shading.iter();
            let legend = "; shaded: NBER recessions";
            let has_room = unit.chars().count() + legend.len() < self.max_chars();
            if has_room && spans.any(|s| s.start < last && s.end > first) {
                unit += legend;
            }
        }
        unit
    }

    /// Draws source and credit; in a compact picture the source and the address of the credit.
    fn draw_footer(&mut self) {
        let spec = self.spec;
        let max = self.max_chars();
        let left = self.margin;
        let bottom = self.height - 0.9 * left;
        let right = self.width - left;
        if self.is_compact {
            let address = spec.credit.rsplit(", ").next().unwrap_or_default();
            let room = max.saturating_sub(address.chars().count() + 3);
            let source = truncate(&spec.source, room);
            let joint = if source.is_empty() { "" } else { " · " };
            let text = format!("{source}{joint}{}", truncate(address, max));
            self.draw_text(left, bottom, MUTED, &text);
            return;
        }
        let line_height = self.font_size * if self.is_footer_stacked() { 1.4 } else { 0.0 };
        if !spec.source.is_empty() {
            let source = truncate(&format!("Source: {}", spec.source), max);
            self.draw_text(left, bottom - line_height, MUTED, &source);
        }
        let credit = escaped(&truncate(&spec.credit, max));
        self.out += &format!(r#"<text x="{right}" y="{bottom}" text-anchor="end" "#);
        self.out += &format!(r#"fill="{MUTED}">{credit}</text>"#);
    }

    /// Returns how many characters fit between the margins; a character is about half as wide as high.
    fn max_chars(&self) -> usize {
        chars(self.width - 2.0 * self.margin, self.font_size * 0.53)
    }

    /// Returns whether source and credit need a line each.
    fn is_footer_stacked(&self) -> bool {
        let chars = self.spec.source.chars().count() + self.spec.credit.chars().count();
        !self.is_compact && chars + "Source:    ".len() > self.max_chars()
    }

    /// Creates the plot of the current panel between two heights, within the margins at the sides.
    fn place_plot(&self, margin: f64, top: f64, bottom: f64) -> Option<Plot> {
        let ticks = match bottom - top {
            ..90.0 => 2.0,
            ..=250.0 => 4.0,
            _ => 6.0,
        };
        let plot = Plot::new(self.spec, self.scale.factor, ticks)?;
        let tick_width = self.max_width(plot.left_axis.labels());
        let last_values = self.spec.lines.iter().filter_map(|l| self.last_label(l));
        let mut right_width = self.max_width(last_values);
        if let Some(axis) = &plot.right_axis {
            // The last values are in bold behind the labels of the right axis.
            right_width = right_width * 1.1 + self.max_width(axis.labels()) + 8.0;
        }
        Some(Plot {
            left: margin + tick_width + 8.0,
            top,
            width: (self.width - margin - margin - tick_width - right_width - 20.0).max(1.0),
            height: bottom - top,
            ..plot
        })
    }

    /// Returns the width of the longest label.
    fn max_width<T>(&self, labels: impl Iterator<Item = (T, String)>) -> f64 {
        let chars = labels.map(|(_, text)| text.chars().count()).max();
        f64::from(u32::try_from(chars.unwrap_or(0)).unwrap_or(u32::MAX)) * (self.font_size * 0.58)
    }

    /// Returns the last observation of a line and its label.
    fn last_label<'l>(&self, line: &'l Line) -> Option<(&'l Observation, String)> {
        let last = line.points.last()?;
        let value = match line.is_right {
            true if last.value.abs() >= 1_000.0 => number(last.value, 0),
            true => number(last.value, usize::from(self.spec.decimals)),
            false => self.scale.format_number(last.value),
        };
        let text = format!("{} {value}", line.name);
        Some((last, text.trim().to_owned()))
    }

    fn draw_plot(&mut self, plot: &Plot) {
        let top = plot.top;
        let height = plot.height;
        let base = plot.top + plot.height;
        for (x, width) in plot.bands(&self.spec.shading) {
            self.out += &format!(r#"<rect x="{x:.1}" y="{top:.1}" width="{width:.1}" "#);
            self.out += &format!(r#"height="{height:.1}" fill="{SHADE}"/>"#);
        }
        self.draw_left_axis(plot);
        let has_room = |ticks: &i32| f64::from(*ticks) * self.font_size * 5.5 >= plot.width;
        let max_ticks = (3..9).find(has_room).unwrap_or(9);
        let y = base + self.font_size + 5.0;
        for (day, label) in plot.time.labels(max_ticks) {
            let x = plot.x(day);
            let chars = f64::from(u32::try_from(label.len()).unwrap_or(8));
            if x + self.font_size * 0.29 * chars > plot.left + plot.width + 40.0 {
                continue;
            }
            self.out += &format!(r#"<path d="M{x:.1} {base:.1}v4" stroke="{MUTED}"/>"#);
            self.out += &format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" "#);
            self.out += &format!(r#"fill="{MUTED}">{label}</text>"#);
        }
        self.draw_right_axis(plot);
        self.draw_lines(plot);
    }

    /// Draws grid lines with labels. A zero line inside the plot is darker.
    fn draw_left_axis(&mut self, plot: &Plot) {
        let left = plot.left;
        let right = plot.left + plot.width;
        for (tick, label) in plot.left_axis.labels() {
            let y = plot.y(tick);
            let is_zero = tick == 0.0 && plot.left_axis.low < 0.0;
            let (colour, stroke) = if is_zero { (INK, "1.2") } else { (RULE, "1") };
            let x = left - 8.0;
            let baseline = y + self.font_size * 0.35;
            self.out += &format!(r#"<path d="M{left:.1} {y:.1}H{right:.1}" stroke="{colour}" "#);
            self.out += &format!(r#"stroke-width="{stroke}"/><text x="{x:.1}" y="{baseline:.1}" "#);
            self.out += &format!(r#"text-anchor="end" fill="{MUTED}">{label}</text>"#);
        }
    }

    /// Draws the labels of the right axis in the colour of its first line.
    fn draw_right_axis(&mut self, plot: &Plot) {
        let first = self.spec.lines.iter().find(|line| line.is_right);
        let Some((axis, first)) = plot.right_axis.as_ref().zip(first) else {
            return;
        };
        let x = plot.left + plot.width + 8.0;
        for (tick, label) in axis.labels() {
            let y = plot.y_on(axis, tick) + self.font_size * 0.35;
            self.draw_text(format_args!("{x:.1}"), y, first.color(), &label);
        }
    }

    /// Marks the figures of a ghost that were revised: with rings, or with dots where rings would run into each other.
    fn draw_revised(&mut self, plot: &Plot, line: &Line) {
        let marks = self.spec.revised(line).map(|o| {
            let y = plot.line_y(line, o.value, self.scale.factor);
            format!("M{:.1} {y:.1}h0", plot.x(o.date))
        });
        let path: String = marks.collect();
        if path.is_empty() {
            return;
        }
        let count = u32::try_from(line.points.len()).unwrap_or(u32::MAX);
        let is_dense = f64::from(count) * 6.0 > plot.width;
        let strokes = if is_dense {
            &[(line.color(), "3.4")][..]
        } else {
            &[(line.color(), "6.6"), (PAPER, "3.8")]
        };
        for (colour, width) in strokes {
            self.out += &format!(r#"<path d="{path}" stroke="{colour}" "#);
            self.out += &format!(r#"stroke-width="{width}" stroke-linecap="round"/>"#);
        }
    }

    /// Draws the lines and, on each last value, a dot with a label. Labels do not overlap.
    fn draw_lines(&mut self, plot: &Plot) {
        // Round joins of a thousand points in a thousand pixels are not visible and take as long to draw as the line.
        let style = r#"stroke-linejoin="bevel" stroke-linecap="round""#;
        let mut labels: Vec<(f64, f64, f64, &str, String)> = Vec::new();
        for line in self.spec.lines_back_to_front() {
            let colour = line.color();
            let path = plot.path(&self.spec.visible(line), self.scale.factor);
            self.out += &format!(r#"<path d="{path}" fill="none" stroke="{colour}" "#);
            let stroke = 1.8 * (self.font_size / FONT_SIZE).max(1.0);
            self.out += &format!(r#"stroke-width="{stroke:.1}" {style}/>"#);
            if let Some((last, text)) = self.last_label(line) {
                let y = plot.line_y(line, last.value, self.scale.factor);
                labels.push((y, plot.x(last.date), y, colour, text));
            }
        }
        for line in &self.spec.lines {
            self.draw_revised(plot, line);
        }
        labels.sort_by(|a, b| a.0.total_cmp(&b.0));
        let heights = labels.iter_mut().map(|l| &mut l.0).collect();
        spread(heights, self.font_size * 1.15);
        let axis = plot.right_axis.as_ref();
        let axis_width = axis.map_or(0.0, |axis| self.max_width(axis.labels()) + 8.0);
        for (label_y, x, y, colour, text) in labels {
            // The label of a line that ends early is inside the plot.
            let is_inside = x + 8.0 < plot.left + plot.width;
            let label_x = x + 8.0 + if is_inside { 0.0 } else { axis_width };
            let baseline = label_y + self.font_size * 0.35;
            let text = escaped(&text);
            self.out += &format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.2" fill="{colour}" "#);
            self.out += &format!(r#"stroke="{PAPER}" stroke-width="1.5"/>"#);
            self.out += &format!(r#"<text x="{label_x:.1}" y="{baseline:.1}" font-weight="600" "#);
            self.out += &format!(r#"fill="{colour}">{text}</text>"#);
        }
    }
}

/// Moves ascending heights apart until neighbours have at least this distance, keeping their mean in place.
fn spread(mut heights: Vec<&mut f64>, distance: f64) {
    let mut total = 0.0;
    for i in 1..heights.len() {
        if let Some([upper, lower]) = heights.get_mut(i - 1..=i) {
            let missing = (distance - (**lower - **upper)).max(0.0);
            **lower += missing;
            total += missing;
        }
    }
    let count = f64::from(u32::try_from(heights.len()).unwrap_or(1)).max(1.0);
    for height in heights {
        *height -= total / count;
    }
}

/// Returns how many characters of a width fit into a line.
pub(super) fn chars(width: f64, char_width: f64) -> usize {
    let mut counts = 1..400_u16;
    let fits = |count: &u16| f64::from(*count) * char_width <= width;
    counts.rfind(fits).map_or(1, usize::from)
}

/// Breaks text between words into at most two lines of at most `max` characters.
fn wrap(text: &str, max: usize) -> Vec<String> {
    let mut first = String::new();
    for word in text.split_inclusive(' ') {
        if first.chars().count() + word.trim_end().chars().count() > max {
            break;
        }
        first += word;
    }
    let rest = text.get(first.len()..).unwrap_or_default();
    match (first.is_empty(), rest.is_empty()) {
        (true, _) => vec![truncate(text, max)],
        (_, true) => vec![first],
        (_, false) => vec![first.trim_end().to_owned(), truncate(rest, max)],
    }
}

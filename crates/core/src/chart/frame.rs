//! The drawing: ground, shading, grid, lines, last values, and the words around them.

use super::palette::{INK, MUTED, PAPER, RULE, SHADE, Theme};
use super::plot::Plot;
use super::spec::{ChartSpec, Line};
use super::unit::{Scale, escaped};
use crate::format::number;
use crate::model::Observation;

/// Font families: the one that pictures embed, then the reader's own.
pub const FONTS: &str =
    "Inter, system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif";

/// A drawing under way.
struct Frame<'a> {
    out: String,
    spec: &'a ChartSpec,
    scale: Scale,
    width: f64,
    height: f64,
    /// Size of letters.
    small: f64,
    /// Size of the title's letters.
    large: f64,
}

/// A chart as SVG. Without a point it says so instead of drawing an empty grid.
pub fn svg(spec: &ChartSpec) -> String {
    panels(spec, &[])
}

/// A chart and others below it in one drawing, one for each unit, with title, source and size of the first.
pub fn panels(spec: &ChartSpec, others: &[ChartSpec]) -> String {
    let width = f64::from(spec.size.0);
    let (small, large) = if width >= 600.0 {
        (13.0, 20.0)
    } else {
        (11.5, 15.0)
    };
    let frame = Frame {
        out: String::with_capacity(16_384),
        spec,
        scale: spec.scale(),
        width,
        height: f64::from(spec.size.1),
        small,
        large,
    };
    spec.theme.coloured(frame.drawn(others))
}

impl<'a> Frame<'a> {
    fn drawn(mut self, others: &'a [ChartSpec]) -> String {
        let (width, height, small) = (self.width, self.height, self.small);
        let size = format!(r#"viewBox="0 0 {width} {height}" width="{width}" height="{height}""#);
        let others_in_words = others.iter().map(ChartSpec::lines_in_words);
        let label = escaped(&(self.spec.sentence() + &others_in_words.collect::<String>()));
        self.out += &format!(r#"<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" "#);
        self.out += &format!(r#"aria-label="{label}" font-family="{FONTS}" font-size="{small}">"#);
        let (margin, top, bottom) = match self.spec.theme == Theme::Page {
            true => (2.0, 10.0, height - small - 8.0),
            false => {
                let foot = if self.is_stacked() { 4.0 } else { 2.6 };
                (
                    20.0,
                    self.words(!others.is_empty()),
                    height - 20.0 - small * foot,
                )
            }
        };
        let all: Vec<&ChartSpec> = std::iter::once(self.spec).chain(others).collect();
        // Below each plot stand its days, above one of several its unit.
        let (below, above) = (
            small + 8.0,
            if others.is_empty() { 0.0 } else { small * 2.2 },
        );
        let count = f64::from(u32::try_from(all.len()).unwrap_or(1));
        let height = (bottom + below - top) / count;
        let mut plots = Vec::new();
        let mut upper = top;
        for panel in all {
            self.on(panel);
            let lower = upper + height - below;
            let plot = self.lay((margin, upper + above, width - margin, lower));
            plots.push((panel, plot, lower));
            upper += height;
        }
        let laid = || plots.iter().filter_map(|(_, plot, _)| plot.as_ref());
        let left = laid().map(|p| p.left).fold(0.0, f64::max);
        let right = laid().map(|p| p.left + p.width).fold(width, f64::min);
        for (panel, plot, lower) in plots {
            self.on(panel);
            let Some(mut plot) = plot else {
                let (x, y) = (width / 2.0, lower - (height - below) / 2.0);
                let text = "No observations in this range";
                self.out += &format!(r#"<text x="{x}" y="{y}" text-anchor="middle" "#);
                self.out += &format!(r#"fill="{MUTED}">{text}</text>"#);
                continue;
            };
            // The same day stands at one place in all.
            (plot.left, plot.width) = (left, (right - left).max(1.0));
            if above > 0.0 {
                let (y, unit) = (plot.top - small * 0.9, escaped(&self.spec.heading()));
                self.out +=
                    &format!(r#"<text x="{margin}" y="{y:.1}" fill="{MUTED}">{unit}</text>"#);
            }
            self.draw(&plot);
        }
        self.out + "</svg>"
    }

    /// Turns to another panel.
    fn on(&mut self, panel: &'a ChartSpec) {
        self.spec = panel;
        self.scale = panel.scale();
    }

    /// Ground, title, unit, footer; returns where the plot may begin.
    fn words(&mut self, has_others: bool) -> f64 {
        let (spec, width, height, large) = (self.spec, self.width, self.height, self.large);
        self.out += &format!(r#"<rect width="{width}" height="{height}" fill="{PAPER}"/>"#);
        let first = 20.0 + large * 0.75;
        let mut last = first;
        for (title, row) in broken(
            &spec.title,
            usize::from(spec.size.0 / if width >= 600.0 { 14 } else { 10 }),
        )
        .iter()
        .zip(0u8..)
        {
            last = first + f64::from(row) * large * 1.25;
            let title = escaped(title);
            self.out += &format!(r#"<text x="20" y="{last}" font-size="{large}" "#);
            self.out += &format!(r#"font-weight="600" fill="{INK}">{title}</text>"#);
        }
        if !spec.lead.is_empty() {
            last += self.small * 0.4;
            for line in broken(&spec.lead, self.room()) {
                last += self.small * 1.5;
                let line = escaped(&line);
                self.out += &format!(r#"<text x="20" y="{last:.1}" fill="{INK}">{line}</text>"#);
            }
        }
        let mut unit = match has_others {
            true => String::from("A panel for each unit"),
            false => self.spec.heading(),
        };
        if let Some((first, last)) = spec.dates() {
            unit += &format!(", {} to {}", spec.period(first), spec.period(last));
            let mut spans = spec.shading.iter();
            let shaded = "; shaded: NBER recessions";
            let fits = unit.chars().count() + shaded.len() < self.room();
            if fits && spans.any(|s| s.start < last && s.end > first) {
                unit += shaded;
            }
        }
        last += self.small * 0.1;
        for line in broken(&unit, self.room()) {
            last += self.small * 1.5;
            let line = escaped(&line);
            self.out += &format!(r#"<text x="20" y="{last:.1}" fill="{MUTED}">{line}</text>"#);
        }
        let (foot, right) = (height - 18.0, width - 20.0);
        let above = foot
            - if self.is_stacked() {
                self.small * 1.4
            } else {
                0.0
            };
        let source = escaped(&cut(&format!("Source: {}", spec.source), self.room()));
        let credit = escaped(&cut(&spec.credit, self.room()));
        self.out += &format!(r#"<text x="20" y="{above:.1}" fill="{MUTED}">{source}</text>"#);
        self.out += &format!(r#"<text x="{right}" y="{foot}" text-anchor="end" "#);
        self.out += &format!(r#"fill="{MUTED}">{credit}</text>"#);
        last + self.small * 1.4
    }

    /// Letters that have room between the margins: one takes about half its height.
    fn room(&self) -> usize {
        let letter = if self.width >= 600.0 { 69 } else { 61 };
        usize::from(self.spec.size.0).saturating_sub(40) * 10 / letter
    }

    /// Whether source and credit have a line each at the foot.
    fn is_stacked(&self) -> bool {
        let letters = self.spec.source.chars().count() + self.spec.credit.chars().count();
        letters + "Source:    ".len() > self.room()
    }

    /// Puts the plot into the room left, top, right, bottom that is free.
    fn lay(&self, (left, top, right, bottom): (f64, f64, f64, f64)) -> Option<Plot> {
        let wanted = if bottom - top > 250.0 { 6.0 } else { 4.0 };
        let (days, values, right_axis) = Plot::axes(self.spec, self.scale.factor, wanted)?;
        let marks = self.widest(values.levels());
        let lasts = self.spec.lines.iter().filter_map(|l| self.last_label(l));
        let lasts = self.widest(lasts);
        let lasts = match &right_axis {
            // Its figures stand where the last values begin: a gap before them, and bold letters behind it.
            Some(axis) => lasts * 1.1 + self.widest(axis.levels()) + 8.0,
            None => lasts,
        };
        Some(Plot {
            left: left + marks + 8.0,
            top,
            width: (right - left - marks - lasts - 20.0).max(1.0),
            height: bottom - top,
            days,
            values,
            right: right_axis,
        })
    }

    /// The room that the longest of some figures takes.
    fn widest<T>(&self, figures: impl Iterator<Item = (T, String)>) -> f64 {
        let most = figures.map(|(_, text)| text.chars().count()).max();
        f64::from(u32::try_from(most.unwrap_or(0)).unwrap_or(u32::MAX)) * (self.small * 0.58)
    }

    /// The last observation of a line and what is written beside it.
    fn last_label<'l>(&self, line: &'l Line) -> Option<(&'l Observation, String)> {
        let last = line.points.last()?;
        let value = match line.is_right {
            true if last.value.abs() >= 1_000.0 => number(last.value, 0),
            true => number(last.value, usize::from(self.spec.decimals)),
            false => self.scale.number(last.value),
        };
        let text = format!("{} {value}", line.name);
        Some((last, text.trim().to_owned()))
    }

    fn draw(&mut self, plot: &Plot) {
        let (top, height, base) = (plot.top, plot.height, plot.top + plot.height);
        if let Some(shown) = self.spec.dates() {
            let spans = self.spec.shading.iter();
            for (x, width) in spans.filter_map(|s| plot.band(*s, shown)) {
                self.out += &format!(r#"<rect x="{x:.1}" y="{top:.1}" width="{width:.1}" "#);
                self.out += &format!(r#"height="{height:.1}" fill="{SHADE}"/>"#);
            }
        }
        self.grid(plot);
        let mut max_marks = 3;
        while f64::from(max_marks) * self.small * 5.5 < plot.width && max_marks < 9 {
            max_marks += 1;
        }
        let y = base + self.small + 5.0;
        for (day, label) in plot.days.marks(max_marks) {
            let x = plot.x(day);
            let half = self.small * 0.29 * f64::from(u32::try_from(label.len()).unwrap_or(8));
            if x + half > plot.left + plot.width + 40.0 {
                continue;
            }
            self.out += &format!(r#"<path d="M{x:.1} {base:.1}v4" stroke="{MUTED}"/>"#);
            self.out += &format!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle" "#);
            self.out += &format!(r#"fill="{MUTED}">{label}</text>"#);
        }
        self.right_axis(plot);
        self.curves(plot);
    }

    /// Level lines with their figures; zero, where it lies inside, is drawn in ink.
    fn grid(&mut self, plot: &Plot) {
        let (left, right) = (plot.left, plot.left + plot.width);
        for (mark, level) in plot.values.levels() {
            let y = plot.y(mark);
            let is_zero = mark == 0.0 && plot.values.low < 0.0;
            let (colour, thick) = if is_zero { (INK, "1.2") } else { (RULE, "1") };
            let (x, below) = (left - 8.0, y + self.small * 0.35);
            self.out += &format!(r#"<path d="M{left:.1} {y:.1}H{right:.1}" stroke="{colour}" "#);
            self.out += &format!(r#"stroke-width="{thick}"/><text x="{x:.1}" y="{below:.1}" "#);
            self.out += &format!(r#"text-anchor="end" fill="{MUTED}">{level}</text>"#);
        }
    }

    /// Figures of the right axis, in the colour of the first line that stands on it.
    fn right_axis(&mut self, plot: &Plot) {
        let first = self.spec.lines.iter().find(|line| line.is_right);
        let Some((axis, first)) = plot.right.as_ref().zip(first) else {
            return;
        };
        let colour = first.color();
        let x = plot.left + plot.width + 8.0;
        for (mark, level) in axis.levels() {
            let y = plot.level(axis, mark) + self.small * 0.35;
            self.out += &format!(r#"<text x="{x:.1}" y="{y:.1}" fill="{colour}">{level}</text>"#);
        }
    }

    /// The lines, a dot on each last value and the value beside it; two labels never lie on each other.
    fn curves(&mut self, plot: &Plot) {
        // Corners of a thousand points in a thousand pixels: none is seen, and a round one takes as long as its line.
        let round = r#"stroke-linejoin="bevel" stroke-linecap="round""#;
        let mut labels: Vec<(f64, f64, f64, &str, String)> = Vec::new();
        for line in self.spec.drawn() {
            let colour = line.color();
            let path = plot.path(&self.spec.visible(line), self.scale.factor);
            self.out += &format!(r#"<path d="{path}" fill="none" stroke="{colour}" "#);
            self.out += &format!(r#"stroke-width="1.8" {round}/>"#);
            if let Some((last, text)) = self.last_label(line) {
                let y = plot.place(line, last.value, self.scale.factor);
                labels.push((y, plot.x(last.date), y, colour, text));
            }
        }
        labels.sort_by(|a, b| a.0.total_cmp(&b.0));
        apart(
            labels.iter_mut().map(|l| &mut l.0).collect(),
            self.small * 1.15,
        );
        let levels = plot.right.as_ref().map(|axis| self.widest(axis.levels()));
        let aside = levels.map_or(0.0, |levels| levels + 8.0);
        for (at, x, y, colour, text) in labels {
            // A line that ends early has its value inside the plot.
            let is_inside = x + 8.0 < plot.left + plot.width;
            let beside = x + 8.0 + if is_inside { 0.0 } else { aside };
            let (below, text) = (at + self.small * 0.35, escaped(&text));
            self.out += &format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.2" fill="{colour}" "#);
            self.out += &format!(r#"stroke="{PAPER}" stroke-width="1.5"/>"#);
            self.out += &format!(r#"<text x="{beside:.1}" y="{below:.1}" font-weight="600" "#);
            self.out += &format!(r#"fill="{colour}">{text}</text>"#);
        }
    }
}

/// Moves heights that ascend so far that none is nearer to the next than `room`, the middle of a crowd staying.
fn apart(heights: Vec<&mut f64>, room: f64) {
    let (mut heights, mut down) = (heights, 0.0);
    for i in 1..heights.len() {
        if let Some([upper, lower]) = heights.get_mut(i - 1..=i) {
            let lacking = (room - (**lower - **upper)).max(0.0);
            **lower += lacking;
            down += lacking;
        }
    }
    let many = f64::from(u32::try_from(heights.len()).unwrap_or(1)).max(1.0);
    for height in heights {
        *height -= down / many;
    }
}

/// Text in two lines of at most `room` letters, broken between words.
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut first = String::new();
    let mut rest = text;
    while let Some(word) = rest.split_inclusive(' ').next() {
        if first.chars().count() + word.trim_end().chars().count() > room {
            break;
        }
        first += word;
        rest = rest.get(word.len()..).unwrap_or_default();
    }
    match (first.is_empty(), rest.is_empty()) {
        (true, _) => vec![cut(text, room)],
        (_, true) => vec![first],
        (_, false) => vec![first.trim_end().to_owned(), cut(rest, room)],
    }
}

/// At most `max` letters, with an ellipsis where some were cut.
fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let short: String = text.chars().take(max.saturating_sub(1)).collect();
    short + "…"
}

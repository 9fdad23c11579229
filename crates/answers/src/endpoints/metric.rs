//! `get_metric`: the latest value of one series, its changes and their meaning.

use crate::conditions::claim::is_measured_by;
use crate::conditions::formulas::{self, NamedSeries};
use crate::prelude::*;
use crate::route::forward::check_series;
use econoscope_core::format::{self, amount_in_words};
use econoscope_core::indicators::expression::{self, Scope};
use econoscope_core::indicators::transform::{self, Changes};
use econoscope_core::indicators::window::RankCounts;
use econoscope_core::indicators::{narrative_velocity, prose};
use econoscope_core::model::calendar::{AnnouncedDays, Publication, Release};
use econoscope_core::model::{CalendarPeriod, release};
use econoscope_desk::names::resolve;

/// Daily series, each with the series of its monthly averages.
const MONTHLY_MEANS: &str = include_str!("../../data/means.csv");

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Identifier or name: DGS10, "10y", "unemployment", CRPI.
    #[schemars(example = &"DGS10", length(min = 1, max = 80))]
    ticker: String,
    /// As known on: 2008-12-31, Q4 2008.
    #[schemars(example = &"2020-03")]
    as_of: Option<String>,
}

/// Change of the value, in its own unit (percent units: percentage points).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeSet {
    /// Against 7 days before the value's date; null for monthly and slower series.
    #[serde(rename = "7d")]
    pub week: Option<f64>,
    /// Against 30 days before the value's date; monthly series: against the month before.
    #[serde(rename = "30d")]
    pub month: Option<f64>,
    /// Unit of both: "points" of a percentage or score, else the series' own in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A monthly average of a month that begins after the daily figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NewerMean {
    /// Series of monthly averages: GS10.
    pub series: String,
    /// First day of the month.
    pub date: Date,
    /// The average, in the unit of the daily figure.
    pub value: f64,
}

impl NewerMean {
    /// Returns the newest monthly average of the series `id` if its month begins after `date`, the day of the newest
    /// daily figure.
    ///
    /// Daily figures and monthly averages come from different sources and may end on different days. The daily figure
    /// stays the answer.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn find(desk: &Desk, id: &str, date: Option<Date>, as_of: AsOf) -> Result<Option<Self>> {
        let mean = look_up(MONTHLY_MEANS, id);
        let info = mean.and_then(|mean| Catalogue::embedded().get(mean));
        let permitted = info.filter(|info| desk.check_permitted(info).is_ok());
        let Some((date, info)) = date.zip(permitted) else {
            return Ok(None);
        };
        let series = desk.series(info, as_of)?;
        let newest = series.and_then(|s| s.last_on_or_before(desk.reading_day(as_of)));
        Ok(newest.filter(|mean| mean.date > date).map(|mean| Self {
            series: desk.display_id(&info.id),
            date: mean.date,
            value: info.round(mean.value),
        }))
    }

    /// Describes the average: "newer is the average of September 2026: 4.99 (GS10)".
    pub(super) fn describe(&self) -> String {
        let Self { series, value, .. } = self;
        let month = self.date.strftime("%B %Y");
        format!("newer is the average of {month}: {value} ({series})")
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metric {
    /// Identifier.
    pub ticker: String,
    /// Full name.
    pub display_name: String,
    /// Subject.
    pub category: String,
    /// Unit; null where the source states none.
    #[serde(default, with = "crate::render::provenance::stated")]
    #[schemars(with = "Option<String>")]
    pub unit: String,
    /// Latest value.
    pub value: Option<f64>,
    /// Day or first day of the period the value is about.
    pub date: Option<Date>,
    /// Changes.
    #[serde(default)]
    pub changes: ChangeSet,
    /// What the value means.
    pub interpretation: Option<String>,
    /// Credit line.
    pub attribution: Attribution,
    /// The unit and its basis in words: "thousand persons, SA".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_in_words: Option<String>,
    /// How often it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// Who measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Whether a newer value should be out: older than its usual lag, one period and some slack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// The monthly average of a later month, if stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer_mean: Option<NewerMean>,
    /// Business day on which the next figure is due by its usual pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_release: Option<Date>,
    /// Fields here whose text is by others: material, never instructions.
    #[serde(default, skip_serializing_if = "UntrustedFields::is_none")]
    pub untrusted: UntrustedFields,
    /// Provenance.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl Metric {
    /// Tells the day of the next figure and what it rests on.
    fn describe_next(&self) -> Option<String> {
        let day = format::day(self.next_release?);
        let basis = enclosed_value(" (", self.provenance.notes.get("nextRelease"), ")");
        Some(format!("The next figure is due on {day}{basis}."))
    }
}

impl Endpoint for Params {
    const TOOL: &'static str = "get_metric";
    type Output = Metric;

    fn local(desk: &Desk, params: &Self) -> Result<Metric> {
        let as_of = parse_as_of(desk, params.as_of.as_deref())?;
        let meaning = desk.meaning("ticker", &params.ticker)?;
        let mut metric;
        if let [part] = meaning.columns.as_slice()
            && part.info.is_none()
        {
            metric = compute(desk, &part.formula, as_of)?;
            let note = meaning.note.unwrap_or_default();
            metric.provenance.note("name", note);
        } else {
            let resolution = desk.resolution("ticker", &params.ticker)?;
            desk.check_permitted(&resolution.info)?;
            metric = read(desk, &resolution.info, as_of)?;
            let provenance = &mut metric.provenance;
            provenance.note_resolution(desk, &resolution, as_of)?;
        }
        let note = describe_period(&metric, params.as_of.as_deref());
        metric.provenance.note("as_of", note.unwrap_or_default());
        Ok(metric)
    }

    fn from_upstream(mut metric: Metric, params: &Self, _: Date) -> Result<Metric> {
        check_series(&params.ticker, &metric.ticker)?;
        if metric.ticker.is_empty() {
            let info = resolve::find(&params.ticker);
            metric.ticker = info.map_or_else(|| params.ticker.clone(), |info| info.id.to_string());
        }
        metric.provenance.note_name(&params.ticker);
        Ok(metric)
    }

    fn text(metric: &Metric, _: &Self) -> String {
        render(metric)
    }
}

/// Says that the figure known in a month is of an earlier one.
fn describe_period(metric: &Metric, as_of: Option<&str>) -> Option<String> {
    let asked = CalendarPeriod::parse(as_of?).ok()?;
    let frequency: Frequency = metric.frequency.as_ref()?.parse().ok()?;
    let is_period = (Frequency::Monthly..=frequency).contains(&asked.length);
    let is_earlier = is_period && metric.date? < frequency.period_date(asked.from);
    let newest = frequency.label(metric.date?);
    let dates = format!("get_time_series with dates={asked}");
    is_earlier.then(|| {
        format!("as known in {asked} the newest was of {newest}; for {asked} itself: {dates}")
    })
}

/// Renders a metric as text.
pub(super) fn render(m: &Metric) -> String {
    let name = m.untrusted.format_field("displayName", &m.display_name);
    let mut text = format!("{name} ({})", m.ticker);
    text += &match m.value {
        Some(value) => {
            let frequency = m.frequency.as_deref().unwrap_or_default();
            let when = |date| match frequency.parse::<Frequency>() {
                Ok(known) => format!(" {} ({frequency})", known.period_phrase(date)),
                Err(()) => format!(" on {date}"),
            };
            let when = m.date.map_or_else(String::new, when);
            let unit = m.unit_in_words.as_ref().unwrap_or(&m.unit);
            let value = match Catalogue::embedded().get(&m.ticker) {
                Some(info) => round_to(value, i32::from(info.decimals)),
                // A formula's figure has the digits of a division.
                None if ["%", "pp"].contains(&m.unit.as_str()) => round_to(value, 2),
                None => value,
            };
            let comma = if unit.contains(',') { "," } else { "" };
            format!(" was {}{comma}{when}.", amount_in_words(value, unit))
        }
        None => " has no value.".into(),
    };
    // Our own interpretation tells the changes.
    let changes = [("7 days", m.changes.week), ("30 days", m.changes.month)];
    let own = changes.iter().filter(|_| m.frequency.is_none());
    let changes = own.filter_map(|(span, change)| Some(format!("{:+} over {span}", (*change)?)));
    let newer = m.newer_mean.as_ref().map(NewerMean::describe);
    let meaning = m.interpretation.as_deref().filter(|_| m.value.is_some());
    let parts = [
        enclosed("", &prose::capitalize(&newer.unwrap_or_default()), "."),
        enclosed("", &join(changes, ", "), "."),
        meaning.unwrap_or_default().to_owned(),
        m.describe_next().unwrap_or_default(),
    ];
    text.extend(parts.iter().map(|part| enclosed(" ", part, "")));
    let stated = m.source.as_deref().unwrap_or("not stated");
    let source = match m.provenance.sources.as_slice() {
        [] => format!("Source: {}. ", m.untrusted.format_field("source", stated)),
        _ => String::new(),
    };
    let credit = format!("{source}{}", m.attribution);
    text + &m
        .provenance
        .render_closing_without(&["nextRelease"], &credit)
}

/// Reads a metric as known at `as_of`.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub fn read(desk: &Desk, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Metric> {
    let stored = desk.series(info, as_of)?;
    let mut metric = describe(desk, info, stored.as_deref(), as_of)?;
    metric.newer_mean = NewerMean::find(desk, info.id.as_str(), metric.date, as_of)?;
    Ok(metric)
}

/// Computes a formula as known at `as_of`.
fn compute(desk: &Desk, formula: &str, as_of: AsOf) -> Result<Metric> {
    let tree = formulas::parse("ticker", formula)?;
    let today = newest(as_of, desk.today());
    let named = NamedSeries::fetch(desk, as_of, DateRange::new(today, today), [&tree])?;
    if let Some(reason) = named.missing_reason(&tree) {
        return Err(reason.clone());
    }
    let scope = Scope {
        series: &|name| named.get(name),
        subject: None,
        start: Date::MIN,
        aggregation: named.default_aggregation(None),
        frequency: None,
    };
    let column = expression::evaluate(&tree, scope)
        .map_err(|fault| formulas::fault_error("ticker", formula, &fault))?;
    let mut info = (*column.series.info).clone();
    info.title = tree.describe(&|name| named.title(name));
    info.units.clone_from(&column.unit.short);
    info.units_short.clone_from(&column.unit.short);
    let info = Arc::new(info);
    let figures = column.series.observations.iter();
    let rows = figures.map(|o| Observation::new(o.date, column.round(o.value)));
    let series = Series::new(Arc::clone(&info), rows.collect());
    let mut metric = describe(desk, &info, Some(&series), as_of)?;
    if metric.provenance.notes.contains_key("revision") {
        let measure = desk.revisions(&info)?.map(|held| held.measure);
        if !measure.is_some_and(|measure| is_measured_by(&tree, measure)) {
            // It is about the series, not about what the formula makes of it.
            metric.provenance.notes.remove("revision");
        }
    }
    formula.clone_into(&mut metric.ticker);
    metric.provenance.sources = desk.citations(named.ids(), None)?;
    Ok(metric)
}

/// Describes the newest figure of a series.
fn describe(
    desk: &Desk,
    info: &Arc<SeriesInfo>,
    series: Option<&Series>,
    as_of: AsOf,
) -> Result<Metric> {
    let id = info.id.as_str();
    let day = desk.reading_day(as_of);
    let mut provenance = Provenance::new(desk, as_of, [id])?;
    provenance.note_remark(desk, info)?;
    let kind = series.map(|s| FigureKind::new(s, Units::Level, s.frequency()));
    let round = |value| kind.as_ref().map_or(value, |kind| kind.round(value));
    let (last, interpretation) = if id == narrative_velocity::NVI.id {
        let reading = desk.narrative(as_of)?;
        let last = reading.value.map(|v| Observation::new(reading.date, v));
        (last, Some(narrative_velocity::interpret(&reading)))
    } else {
        let last = series.and_then(|s| s.last_on_or_before(day));
        let both = series.zip(last);
        let interpretation = both.map(|(series, last)| interpret(desk, series, last, as_of));
        (last, interpretation.transpose()?.flatten())
    };
    match last {
        None => provenance.note_missing("value", &desk.no_data_error(info, as_of)),
        Some(Observation { date, .. }) => {
            provenance.note_limits(desk, info, date, as_of)?;
            provenance.sources = desk.citations([id], Some((date, date)))?;
            let rate = desk.published_rate_remark(id, date, as_of)?;
            provenance.note("headline", rate.unwrap_or_default());
        }
    }
    let published = last.filter(|_| !info.is_composite() && !info.is_forecast());
    let today = newest(as_of, desk.today());
    let days = desk.announced_days(as_of)?;
    let next_release =
        published.and_then(|o| next_release(info, o.date, today, &days, &mut provenance));
    if let Some(series) = series {
        provenance.note_timeliness("value", series, day);
    }
    let changes = series.map_or(Changes::default(), |s| transform::changes(s, day));
    let unit = series.map_or(info, |s| &s.info);
    Ok(Metric {
        ticker: desk.display_id(&info.id),
        display_name: info.title.clone(),
        category: info.category.clone(),
        unit: unit.units_short.clone(),
        unit_in_words: Some(unit.unit_and_basis()),
        value: last.map(|o| round(o.value)),
        date: last.map(|o| o.date),
        changes: ChangeSet {
            week: changes.week.map(round),
            month: changes.month.map(round),
            unit: kind.as_ref().map(|kind| kind.change_unit.clone()),
        },
        interpretation,
        attribution: desk.attribution(),
        frequency: Some(info.frequency.word().into()),
        source: Some(info.source.clone()),
        stale: last
            .zip(series)
            .map(|(o, s)| s.timeliness(o.date, day) != Timeliness::Current),
        newer_mean: None,
        next_release,
        untrusted: UntrustedFields::for_series(info, &["displayName", "source"]),
        provenance,
    })
}

/// Returns the next release day from `today` on of a figure after `last`; `None` for a series that may have ended. Notes on
/// what the day rests.
fn next_release(
    info: &SeriesInfo,
    last: Date,
    today: Date,
    announced: &AnnouncedDays,
    provenance: &mut Provenance,
) -> Option<Date> {
    const EXPECTED: &str = "expected, not announced";
    let due_day = announced.next_day(info, last).map(|next| next.day);
    let timeliness = Timeliness::new(info, last, today, due_day);
    if matches!(timeliness, Timeliness::Ended { .. }) {
        return None;
    }
    let publication = Publication::new(info);
    if let Some(release) = Catalogue::release_of(info).or(publication.release()) {
        let scheduled = announced.scheduled(release, today, shift(today, 1.year()));
        let held = publication.headline_period(last);
        let due = scheduled.into_iter().find(|due| due.period > held)?;
        let Release { name, agency, .. } = release;
        let note = due.announced.map_or(format!("{name}; {EXPECTED}"), |day| {
            format!("{name}; announced by the {agency}, read on {}", day.read)
        });
        provenance.note("nextRelease", note);
        return Some(due.day);
    }
    let next = |period: &Date| Some(shift(*period, info.frequency.period()));
    let periods = std::iter::successors(Some(last), next);
    let mut days = periods.map(|period| release::next_release_day(info, period));
    let day = days.find(|day| *day >= today)?;
    let pattern = release::describe_pattern(info, last);
    provenance.note("nextRelease", format!("{pattern}; {EXPECTED}"));
    Some(day)
}

/// Lists the forecasts of coming years with the day of the newest: "4.1 in 2027, 4.1 in 2028; as of 16 September 2026".
fn describe_forecasts(
    desk: &Desk,
    series: &Series,
    last: Observation,
    kind: &FigureKind,
    as_of: AsOf,
) -> Result<String> {
    let label = |date| series.frequency().label(date);
    let next = series.between(shift(last.date, 1.day()), Date::MAX).iter();
    let coming = next.map(|o| format!("{} in {}", kind.format(o.value), label(o.date)));
    let today = newest(as_of, desk.today());
    // A year whose figure did not change has no row of the newest publication.
    let mut known = None;
    for figure in series.between(last.date, Date::MAX) {
        let recorded = desk.period_vintages(&series.info, figure.date)?;
        let mut days = recorded.iter().rev().map(|(day, _)| *day);
        known = known.max(days.find(|day| *day <= today));
    }
    let day = known.map(format::day).unwrap_or_default();
    let told = join(coming, ", ") + &enclosed("; as of ", &day, "");
    let sentence = prose::capitalize(told.trim_start_matches("; "));
    Ok(format!("{sentence}."))
}

/// Says what the newest figure means: a composite by its own rule, any other series by its place in its own history.
fn interpret(
    desk: &Desk,
    series: &Series,
    last: Observation,
    as_of: AsOf,
) -> Result<Option<String>> {
    if let Some(composite) = econoscope_core::indicators::composite(series.info.id.as_str()) {
        let reading = desk.reading(composite, as_of)?;
        return Ok(Some((composite.interpret)(&reading)));
    }
    let kind = FigureKind::new(series, Units::Level, series.frequency());
    if series.info.is_forecast() {
        return describe_forecasts(desk, series, last, &kind, as_of).map(Some);
    }
    let mut parts = Vec::new();
    if let Some(month) = transform::changes(series, last.date).month {
        let is_monthly = series.frequency() == Frequency::Monthly;
        let span = if is_monthly { "a month" } else { "30 days" };
        parts.push(format!("{} over {span}", kind.format_change(month, None)));
    }
    parts.extend(format_yearly_change(series, last, &kind));
    let start = shift(last.date, (-10).years());
    let decade = series.between(start, last.date);
    if decade.len() >= 24 {
        let rank = RankCounts::of_latest(decade);
        let frequency = series.frequency();
        let begins = series.observations.first().map(|o| o.date);
        // The figures of a decade, or as many as there are.
        let is_short = |day: &Date| *day > shift(shift(start, 9.days()), frequency.period());
        let span = match begins.filter(is_short) {
            Some(day) => format!("since {}", frequency.label(day)),
            None => "of the last ten years".to_owned(),
        };
        parts.push(match (rank.below, rank.above) {
            (1.., 0) => format!("the highest {span}"),
            (0, 1..) => format!("the lowest {span}"),
            (below, _) => {
                let share = rank.percent(below);
                format!("higher than {share:.0} % of the figures {span}")
            }
        });
    }
    Ok((!parts.is_empty()).then(|| format!("{}.", prose::capitalize(&parts.join("; ")))))
}

/// Formats the change over a year with the earlier figure: in percent for an amount, else in the unit of the series. A
/// percent change of a percentage would be mistaken for points.
fn format_yearly_change(series: &Series, last: Observation, kind: &FigureKind) -> Option<String> {
    let earlier = transform::year_earlier(series, last.date)?;
    let is_positive = || series.observations.iter().all(|o| o.value > 0.0);
    let change = if kind.is_amount() && is_positive() {
        let percent = transform::year_on_year(series, last.date)?;
        format!("{} %", format_signed(round_to(percent, 1), 1))
    } else {
        kind.format_change(last.value - earlier, None)
    };
    let earlier = kind.format(kind.round(earlier));
    Some(format!("{change} from a year earlier ({earlier})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monthly_means_name_series_of_the_catalogue() {
        for (line, row) in econoscope_core::model::table::rows::<2>(MONTHLY_MEANS) {
            for id in row.unwrap() {
                assert!(Catalogue::embedded().get(id).is_some(), "line {line}: {id}");
            }
        }
    }

    fn asked(ticker: &str, as_of: Option<&str>) -> Metric {
        let desk = econoscope_desk::testing::TestDesk::bundled()
            .on("2026-11-21")
            .open();
        let params = Params {
            ticker: ticker.to_owned(),
            as_of: as_of.map(str::to_owned),
        };
        Params::local(&desk, &params).unwrap()
    }

    #[test]
    fn ranks_name_their_real_span() {
        for (ticker, span) in [
            ("SOFR", "figures since 2018-04-03"),
            ("IORB", "figures since 2021-07-29"),
            ("UNRATE", "figures of the last ten years"),
            ("DGS10", "figures of the last ten years"),
        ] {
            let told = asked(ticker, None).interpretation.unwrap();
            assert!(told.contains(span), "{ticker}: {told}");
        }
    }

    #[test]
    fn a_month_of_as_of_is_told_from_that_of_the_figure() {
        for (ticker, as_of, told) in [
            (
                "inflation",
                "2022-03",
                "the newest was of February 2022; for 2022-03 itself",
            ),
            (
                "job openings yoy",
                "2022-03",
                "the newest was of January 2022; for 2022-03 itself",
            ),
            (
                "GDPC1",
                "2022-03",
                "the newest was of Q4 2021; for 2022-03 itself",
            ),
            (
                "GDPC1",
                "2022Q1",
                "the newest was of Q4 2021; for 2022-Q1 itself",
            ),
        ] {
            let metric = asked(ticker, Some(as_of));
            let note = &metric.provenance.notes["as_of"];
            assert!(note.contains(told), "{ticker}: {note}");
        }
        assert!(
            !asked("DGS10", Some("2022-03"))
                .provenance
                .notes
                .contains_key("as_of")
        );
    }

    #[test]
    fn figure_in_doubt_says_why_from_the_day_it_was_known() {
        let doubt = |as_of| {
            asked("UNRATE", Some(as_of))
                .provenance
                .notes
                .remove("doubt")
        };
        assert!(
            doubt("2025-12-20")
                .is_some_and(|text| text.contains("October 2025 was never published"))
        );
        assert_eq!(doubt("2025-10-20"), None);
        let told = render(&asked("PAYEMS", Some("2025-10-15")));
        assert!(
            told.contains("preliminary benchmark puts payrolls of March 2025 at 911 thousand"),
            "{told}"
        );
        assert!(!render(&asked("PAYEMS", Some("2025-08-15"))).contains("911"));
    }

    #[test]
    fn forecast_is_told_with_the_years_to_come_and_its_meeting() {
        let text = |as_of| render(&asked("FEDTARMD", as_of));
        let told = text(None);
        assert!(told.contains("4.1 in 2027, 3.9 in 2028"), "{told}");
        assert!(told.contains("as of 16 September 2026"), "{told}");
        let told = text(Some("2023-12-31"));
        let expected = "4.6 in 2024, 3.6 in 2025, 2.9 in 2026; as of 13 December 2023";
        assert!(told.contains(expected), "{told}");
    }

    #[test]
    fn formula_has_its_own_change_and_no_error_bar_of_another_measure() {
        let starts = asked("chg(HOUST)", None);
        assert!(!starts.provenance.notes.contains_key("revision"));
        // A change that was negative before has no percent change.
        let text = render(&starts);
        assert!(!text.contains(" % from a year earlier"), "{text}");
        let production = asked("mom(INDPRO)", None);
        assert!(production.provenance.notes.contains_key("revision"));
        let food = render(&asked("yoy(CUSR0000SAF11)", None));
        assert!(food.contains(" was 2.13 %"), "{food}");
    }

    #[test]
    fn newest_first_print_has_an_error_bar_unless_in_doubt() {
        // August 2023 came first on 1 September with 3.8 %; its bar rests on revisions known then.
        let bar = |ticker, as_of| {
            asked(ticker, Some(as_of))
                .provenance
                .notes
                .remove("revision")
        };
        let told = bar("PAYEMS", "2024-01-31").unwrap();
        assert!(
            told.starts_with("nine in ten first prints like this change of +"),
            "{told}"
        );
        assert!(
            told.ends_with("thousands of persons, by 178 revisions"),
            "{told}"
        );
        assert!(
            bar("UNRATE", "2023-09-30")
                .unwrap()
                .contains("stand a year later between 3.7 and 3.9 percent")
        );
        // In doubt, not revised, or failed in validation.
        assert!(
            asked("PAYEMS", Some("2025-10-15"))
                .provenance
                .notes
                .contains_key("doubt")
        );
        for (ticker, as_of) in [
            ("PAYEMS", "2025-10-15"),
            ("DGS10", "2024-01-31"),
            ("DPCERA3M086SBEA", "2024-01-31"),
        ] {
            assert_eq!(bar(ticker, as_of), None, "{ticker}");
        }
        assert!(
            bar("A191RL1Q225SBEA", "2024-01-31")
                .unwrap()
                .contains("annual rate of +")
        );
    }
}

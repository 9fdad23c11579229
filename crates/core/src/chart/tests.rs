use super::*;
use crate::model::{Date, DateRange, Frequency, Observation, Rights, Series, SeriesId, SeriesInfo};
use jiff::ToSpan;
use jiff::civil::date;
use resvg::tiny_skia::Pixmap;
use sha2::{Digest, Sha256};
use std::sync::Arc;

fn series(title: &str, units: &str, points: Vec<Observation>) -> Series {
    let info = SeriesInfo {
        id: SeriesId::new("TEST").unwrap(),
        title: title.into(),
        units: "Percent".into(),
        units_short: units.into(),
        frequency: Frequency::Monthly,
        seasonally_adjusted: false,
        category: "rates".into(),
        source: "Bureau <of> Tests".into(),
        publication_lag_days: 1,
        is_metric: true,
        rights: Rights::Ok,
        decimals: 2,
        is_untrusted: false,
    };
    Series::new(Arc::new(info), points)
}

fn months(count: i32, value: impl Fn(i32) -> f64) -> Vec<Observation> {
    (0..count)
        .map(|n| Observation::new(date(1990, 1, 1).saturating_add(n.months()), value(n)))
        .collect()
}

fn wave(n: i32) -> f64 {
    (f64::from(n) / 9.0).sin() * 2.0
}

fn chart(title: &str) -> ChartSpec {
    let series = series(title, "%", months(400, wave));
    let span = DateRange::new(date(2008, 1, 1), date(2009, 6, 30));
    ChartSpec {
        shading: vec![span],
        credit: "Data by Test".into(),
        ..picture_of(&series, date(1990, 1, 1), date(2030, 1, 1))
    }
}

/// Creates a picture of a series.
fn picture_of(series: &Series, start: Date, end: Date) -> ChartSpec {
    let info = &series.info;
    ChartSpec {
        title: info.title.clone(),
        lead: String::new(),
        unit: info.units.clone(),
        unit_short: info.units_short.clone(),
        decimals: info.decimals,
        lines: vec![Line {
            name: String::new(),
            points: series.between(start, end).to_vec(),
            frequency: info.frequency,
            is_right: false,
            color: 0,
        }],
        shading: Vec::new(),
        bars: Vec::new(),
        days: None,
        is_log: false,
        scale_note: "",
        source: info.source.clone(),
        credit: String::new(),
        theme: Theme::Light,
        size: (800, 420),
    }
}

#[test]
fn picture_is_small_and_has_the_right_size() {
    let bytes = render_png(&render_svg(&chart("A wave around zero")), DENSITY).unwrap();
    assert!(bytes.len() < 40_000, "{} bytes", bytes.len());
    let pixels = Pixmap::decode_png(&bytes).unwrap();
    assert_eq!((pixels.width(), pixels.height()), (1200, 630));
    let ink = pixels
        .pixels()
        .iter()
        .filter(|p| p.red() < 60 && p.blue() < 60)
        .count();
    assert!(ink > 500, "the text was not drawn: {ink} dark pixels");
}

#[test]
fn equal_charts_give_equal_bytes() {
    let spec = chart("Twice");
    assert_eq!(
        render_png(&render_svg(&spec), DENSITY).unwrap(),
        render_png(&render_svg(&spec), DENSITY).unwrap()
    );
    let dark = ChartSpec {
        theme: Theme::Dark,
        ..spec.clone()
    };
    assert_ne!(
        render_png(&render_svg(&spec), DENSITY).unwrap(),
        render_png(&render_svg(&dark), DENSITY).unwrap()
    );
}

#[test]
fn drawing_has_title_unit_source_shading_and_last_value() {
    let text = render_svg(&chart("A wave"));
    for part in [
        ">A wave<",
        "Percent, January 1990 to April 2023; shaded: NBER recessions",
        "Data by Test",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(text.contains("Source: Bureau &lt;of&gt; Tests"));
    assert_eq!(text.matches("<circle").count(), 1);
}

#[test]
fn markup_in_a_title_is_escaped() {
    let evil = "</text><script>alert(1)</script>\" onload=\"x\u{0}";
    let text = render_svg(&chart(evil));
    assert!(!text.contains("<script"), "{text}");
    assert!(!text.contains("\" onload"), "{text}");
    assert!(render_png(&render_svg(&chart(evil)), DENSITY).is_ok());
}

#[test]
fn empty_chart_says_that_it_is_empty() {
    let empty = picture_of(
        &series("Empty", "%", Vec::new()),
        date(2020, 1, 1),
        date(2021, 1, 1),
    );
    assert!(render_svg(&empty).contains("No observations"));
    assert!(render_png(&render_svg(&empty), DENSITY).is_ok());
    assert_eq!(render_sparkline(&empty), "");
    let one = picture_of(
        &series("One", "%", months(1, wave)),
        date(1990, 1, 1),
        date(2021, 1, 1),
    );
    assert!(render_svg(&one).contains("<circle"));
}

#[test]
fn millions_of_dollars_are_scaled_to_trillions() {
    let assets = series("Assets", "$mn", months(24, |n| 6.5e6 + f64::from(n)));
    let mut spec = picture_of(&assets, date(1990, 1, 1), date(2021, 1, 1));
    spec.unit = "Millions of dollars".into();
    let text = render_svg(&spec);
    assert!(
        text.contains(">Trillions of dollars, January 1990 to December 1991<"),
        "{text}"
    );
    assert!(
        text.contains("lowest $6.5 trillion, January 1990"),
        "{text}"
    );
    assert!(text.contains(">6.50<"), "{text}");
}

#[test]
fn widget_labels_its_unit_and_its_labels_do_not_overlap() {
    let mut spec = chart("A wave");
    let text = render_fluid(&spec);
    assert!(text.contains(">2 %<") && text.contains(">1<"), "{text}");
    (spec.unit_short, spec.unit) = ("$mn".into(), "Millions of dollars".into());
    spec.lines[0].points = months(24, |n| 6.5e6 + 1e5 * f64::from(n));
    let text = render_fluid(&spec);
    assert!(text.contains(">$9 trillion<"), "{text}");
    let places: Vec<f64> = text
        .split("class=\"when")
        .skip(1)
        .map(|rest| rest.split_once("x=\"").unwrap().1)
        .map(|rest| rest.split('%').next().unwrap().parse().unwrap())
        .collect();
    assert!(
        places.len() > 1 && places.iter().all(|x| *x >= 18.0),
        "{places:?}"
    );
    assert!(text.contains("class=\"when odd\""), "{text}");
}

#[test]
fn labels_of_last_values_do_not_overlap() {
    let mut spec = chart("Two");
    spec.lines = ["10y", "2y"]
        .map(|name| Line {
            name: name.into(),
            ..spec.lines[0].clone()
        })
        .to_vec();
    let text = render_svg(&spec);
    let heights: Vec<f64> = text
        .split("<circle")
        .skip(1)
        .filter_map(|part| part.split(" y=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert_eq!(heights.len(), 2);
    assert!((heights[0] - heights[1]).abs() >= 13.0, "{heights:?}");
    assert!(text.contains("10y ") && text.contains("2y "));
}

#[test]
fn extreme_values_are_drawn_at_finite_places() {
    let huge = f64::MAX;
    let cases: [&[f64]; 14] = [
        &[1e308, 1e308],
        &[huge, -huge],
        &[-huge, -huge, huge, 0.0],
        &[0.0, -0.0],
        &[-0.0],
        &[huge],
        &[5e-324, 0.0],
        &[5e-324],
        &[1e16, 1e16 + 2.0],
        &[-1e300, 1e-300, 3.0],
        &[1.0, huge, 1.0],
        &[f64::MIN_POSITIVE, 2.0 * f64::MIN_POSITIVE],
        &[7.0, 7.0, 7.0],
        &[-1e17, 1.0, 1e17],
    ];
    for values in cases {
        for unit in ["%", "$mn", "index"] {
            let value = |n: i32| values[usize::try_from(n).unwrap()];
            let rows = months(i32::try_from(values.len()).unwrap(), value);
            let series = series("Any", unit, rows);
            let spec = picture_of(&series, date(1990, 1, 1), date(2021, 1, 1));
            let small = spec.clone().into_plot(300, 40);
            for text in [
                render_svg(&spec),
                render_svg(&small),
                render_sparkline(&small),
            ] {
                for word in ["NaN", "inf"] {
                    assert!(!text.contains(word), "{word} for {values:?} {unit}: {text}");
                }
                assert!(!text.contains("width=\"-"), "{values:?}: {text}");
                assert!(text.len() < 20_000, "{values:?} takes {}", text.len());
            }
            assert!(
                render_png(&render_svg(&spec), DENSITY).is_ok(),
                "{values:?}"
            );
        }
    }
}

proptest::proptest! {
    #[test]
    fn random_bits_are_drawn_with_finite_places(bits in proptest::collection::vec(proptest::prelude::any::<u64>(), 1..6)) {
        let values: Vec<f64> = bits.into_iter().map(f64::from_bits).filter(|v| v.is_finite()).collect();
        proptest::prop_assume!(!values.is_empty());
        let value = |n: i32| values[usize::try_from(n).unwrap()];
        let rows = months(i32::try_from(values.len()).unwrap(), value);
        let spec = picture_of(&series("Any", "%", rows), date(1990, 1, 1), date(2021, 1, 1));
        for text in [render_svg(&spec), render_sparkline(&spec.into_plot(300, 40))] {
            proptest::prop_assert!(!text.contains("NaN") && !text.contains("inf"), "{values:?} {text}");
        }
    }
}

#[test]
fn line_of_another_unit_has_the_right_axis() {
    let mut spec = chart("Two units");
    let many = months(400, |n| 150_000.0 + f64::from(n));
    spec.lines.push(Line {
        name: "jobs".into(),
        points: many,
        is_right: true,
        ..spec.lines[0].clone()
    });
    for text in [
        render_svg(&spec),
        render_svg(&spec.clone().into_plot(380, 280)),
        render_fluid(&spec),
    ] {
        // The left axis keeps its own range: a wave between -2 and 2 fills it.
        let heights: Vec<f64> = text
            .split("<path d=\"M")
            .filter_map(|part| {
                part.split_once("fill=\"none\" stroke=\"")
                    .map(|(path, _)| path)
            })
            .flat_map(|path| {
                path.split('L')
                    .filter_map(|at| at.split(' ').nth(1)?.split('"').next()?.parse().ok())
            })
            .collect();
        let low = heights.iter().copied().fold(f64::MAX, f64::min);
        let high = heights.iter().copied().fold(0.0, f64::max);
        assert!(high - low > 60.0, "{low} {high}");
    }
    let text = render_svg(&spec);
    assert!(
        text.contains(">jobs 150,399<") && text.contains(">150,200<"),
        "{text}"
    );
}

#[test]
fn panels_have_their_own_units_and_one_time_axis() {
    let mut first =
        chart("Rate, jobs and claims in a title that is far too long for one row of a picture");
    let other = |unit: &str, color: usize, count: i32| {
        let mut spec = chart("");
        spec.unit = unit.into();
        spec.lines[0].points = months(count, |n| 100.0 + f64::from(n));
        spec.lines[0].color = color;
        spec.days = first.dates();
        spec
    };
    let others = [other("Thousand", 1, 100), other("Claims", 2, 400)];
    first.days = first.dates();
    let text = render_panels(&first, &others);
    for part in [
        ">Thousand</text>",
        ">Claims</text>",
        "A panel for each unit, January 1990 to ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(
        text.matches("font-weight=\"600\" fill=").count(),
        2 + 3,
        "{text}"
    );
    // Every panel begins at one place and has its own color; January 1992 is at one place in all.
    let starts: Vec<&str> = text
        .split("<path d=\"M")
        .filter(|path| path.contains("stroke-width=\"1.8\""))
        .filter_map(|path| path.split(' ').next())
        .collect();
    assert_eq!(starts.len(), 3);
    assert!(starts.iter().all(|start| *start == starts[0]), "{starts:?}");
    for color in 0..3 {
        let line = Theme::Light.resolve_colours(palette::LINES[color].to_owned());
        assert!(
            text.contains(&format!("stroke=\"{line}\" stroke-width=\"1.8\"")),
            "{line}"
        );
    }
    assert!(render_png(&text, DENSITY).is_ok());
}

#[test]
fn ghost_is_grey_and_behind_the_other_lines() {
    let mut spec = chart("Two");
    let now = spec.lines[0].clone();
    spec.lines.push(now);
    let muted = Theme::Light.resolve_colours("var(--muted)".to_owned());
    let strokes = |spec: &ChartSpec| -> Vec<String> {
        let drawn = render_svg(spec);
        let parts = drawn.split("fill=\"none\" stroke=\"").skip(1);
        parts
            .map(|p| p.split('"').next().unwrap().to_owned())
            .collect()
    };
    let plain = strokes(&spec);
    assert!(plain.len() == 2 && !plain.contains(&muted), "{plain:?}");
    spec.lines[0].color = GHOST_COLOR;
    // The line drawn first is behind; the current line has the first colour.
    assert_eq!(strokes(&spec), [muted, plain[1].clone()]);
}

#[test]
fn covered_parts_of_a_ghost_are_not_drawn() {
    let points = |revised: f64| -> Vec<Observation> {
        let month = |m: i8| {
            Observation::new(
                date(2025, m, 1),
                if m == 6 { revised } else { f64::from(m) },
            )
        };
        (1..=12).map(month).collect()
    };
    let line = |color, points| Line {
        name: String::new(),
        points,
        frequency: Frequency::Monthly,
        is_right: false,
        color,
    };
    let months = |ghost: &Line, now: &Line| -> Vec<i8> {
        let spec = ChartSpec {
            lines: vec![now.clone(), ghost.clone()],
            ..ChartSpec::default()
        };
        assert_eq!(*spec.visible(now), *now);
        spec.visible(ghost)
            .points
            .iter()
            .map(|o| o.date.month())
            .collect()
    };
    let now = line(0, points(6.0));
    let then = line(GHOST_COLOR, points(7.0));
    assert_eq!(months(&then, &now), [5, 6, 7, 12]);
    assert_eq!(months(&line(GHOST_COLOR, points(6.0)), &now), [12]);
    assert_eq!(months(&line(GHOST_COLOR, Vec::new()), &now), [0_i8; 0]);
    // A revision smaller than a stroke is marked; one of two lines in front may be another series.
    let marks = |lines: &[&Line]| {
        let spec = ChartSpec {
            lines: lines.iter().copied().cloned().collect(),
            ..chart("Then and now")
        };
        render_svg(&spec).matches("h0\" stroke=").count()
    };
    let slightly = line(GHOST_COLOR, points(6.001));
    assert_eq!(marks(&[&slightly, &now]), 2);
    assert_eq!(marks(&[&line(GHOST_COLOR, points(6.0)), &now]), 0);
    assert_eq!(marks(&[&slightly, &now, &line(1, points(8.0))]), 0);
}

#[test]
fn library_matches_its_documented_checksum() {
    let readme = include_str!("../../templates/chart/README.md");
    for (name, text) in [
        ("uplot.js", include_str!("../../templates/chart/uplot.js")),
        ("uplot.css", include_str!("../../templates/chart/uplot.css")),
    ] {
        let sum: String = Sha256::digest(text.as_bytes())
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert!(readme.contains(&format!("{sum}  {name}")), "{name} {sum}");
    }
}

//! The record that the program carries, beside the figures of the study it was made after: within one unit of the last
//! printed digit. That the record is what the vintages give is what `econoscope-score --check` tests.

use econoscope_desk::scores::Scores;

/// The cell of an indicator's row under a heading that begins so.
fn cell(indicator: &str, row: &str, heading: &str) -> &'static str {
    let tables = Scores::embedded().tables.iter();
    let mut cells = tables.filter(|t| t.indicator == indicator).flat_map(|t| {
        let column = t.columns.iter().position(|c| c.starts_with(heading));
        let rows = t.rows.iter().filter(move |r| r[0] == row);
        rows.filter_map(move |r| r.get(column?))
    });
    let found = cells.next();
    found.unwrap_or_else(|| panic!("{indicator}, {row}, {heading}"))
}

fn shares(indicator: &str, row: &str, headings: &[&str], expected: &[f64]) {
    for (heading, expected) in headings.iter().zip(expected) {
        let found: f64 = cell(indicator, row, heading).parse().unwrap();
        assert!(
            (found - expected).abs() < 0.0011,
            "{indicator}, {row}, {heading}: {found}, expected {expected}"
        );
    }
    assert_eq!(headings.len(), expected.len());
}

#[test]
fn skill_matches_the_study() {
    let columns = ["AUC", "Brier", "AUC since 1985", "Brier since 1985"];
    for (row, expected) in [
        ("recession now", [0.962, 0.049, 0.976, 0.035]),
        ("claims alone", [0.963, 0.050, 0.974, 0.037]),
        ("Sahm gap, probit", [0.834, 0.086, 0.842, 0.070]),
        ("payrolls and production", [0.922, 0.064, 0.918, 0.054]),
    ] {
        shares("RNOW", row, &columns, &expected);
    }
    let refitted = "refitted at each month, out of sample";
    let columns = [
        "AUC",
        "Brier",
        "AUC since 1999-08",
        "Brier since 1999-08",
        "AUC in expansions",
        "Brier in expansions",
    ];
    for (indicator, row, expected) in [
        (
            "CRPI",
            "these constants, which saw the sample",
            [0.881, 0.108, 0.847, 0.133, 0.915, 0.078],
        ),
        ("CRPI", refitted, [0.867, 0.117, 0.830, 0.143, 0.908, 0.084]),
        (
            "CRPI2",
            refitted,
            [0.929, 0.090, 0.904, 0.109, 0.929, 0.081],
        ),
        (
            "CRPI2",
            "the same without the premium",
            [0.913, 0.105, 0.872, 0.132, 0.928, 0.081],
        ),
    ] {
        shares(indicator, row, &columns, &expected);
        assert_eq!(cell(indicator, row, "months"), "475");
    }
    let spread = "spread alone, published constants";
    let expected = [0.719, 0.139, 0.672, 0.170, 0.896, 0.084];
    shares("CRPI", spread, &columns, &expected);
}

/// Beside the 90 % ranges of an independent program with draws of its own.
#[test]
fn comparisons_equal_an_independent_bootstrap() {
    let range = |row: &str, indicator, heading| -> [f64; 2] {
        let text = cell(indicator, row, heading);
        let inside = text.split_once('(').unwrap().1.trim_end_matches(')');
        let (from, to) = inside.split_once(" to ").unwrap();
        [from, to].map(|bound| bound.parse().unwrap())
    };
    let calm = "both refitted, beside spread alone, published, in expansions";
    let claims = "recession now, beside claims alone";
    for (row, indicator, heading, expected) in [
        (calm, "CRPI", "AUC more by", [-0.014, 0.043]),
        (calm, "CRPI", "Brier more by", [-0.014, 0.014]),
        (claims, "RNOW", "AUC more by", [-0.007, 0.003]),
    ] {
        for (found, expected) in range(row, indicator, heading).iter().zip(expected) {
            assert!(
                (found - expected).abs() < 0.005,
                "{row}, {heading}: {found}, {expected}"
            );
        }
        assert_eq!(cell(indicator, row, "what it shows"), "no gain is shown");
    }
}

#[test]
fn signal_dates_match_the_study() {
    let recessions = ["July 1990", "March 2001", "December 2007", "February 2020"];
    let tables = &Scores::embedded().tables_of("regime");
    let below = tables
        .iter()
        .flat_map(|t| &t.rows)
        .find(|r| r[0].starts_with("growth below"))
        .unwrap()[0]
        .clone();
    assert!(below.contains("84 of 85 recession months"), "{below}");
    for (indicator, row, expected) in [
        (
            "RNOW",
            "alarm, out of sample",
            ["114 / 74", "-37 ", "234 / 30", "33 / 196"],
        ),
        (
            "RNOW",
            "Sahm rule, 0.5 or more",
            ["129 / 614", "97 / 336", "123 / 339", "69 / 337"],
        ),
        (
            "CRPI",
            "30 or more, these constants",
            ["-487 ", "-274 ", "-487 ", "-182 "],
        ),
        (
            "CRPI",
            "50 or more, these constants",
            ["never", "never", "366 ", "never"],
        ),
        (
            "CRPI2",
            "50 or more, out of sample",
            ["-426 ", "-274 ", "-487 ", "61 "],
        ),
        (
            "regime",
            &below,
            [
                "-286 / 628",
                "-225 / 748",
                "-469 / 202",
                "-256 and 49 / -256 and 171",
            ],
        ),
    ] {
        for (heading, expected) in recessions.iter().zip(expected) {
            let found = cell(indicator, row, heading);
            assert!(
                found.starts_with(expected),
                "{indicator}, {row}, {heading}: {found}"
            );
        }
    }
    for (row, early) in [
        ("alarm, out of sample", ["84 / 77", "146 / -124"]),
        ("Sahm rule, 0.5 or more", ["92 / 281", "126 / 220"]),
    ] {
        let found = ["January 1980", "July 1981"].map(|r| cell("RNOW", row, r));
        assert_eq!(found, early, "{row}");
    }
}

#[test]
fn labels_and_first_prints_match_the_study() {
    let columns = ["label", "growth axis", "inflation axis"];
    let same = "the same row, by revisions alone, since 1966-03";
    shares("regime", same, &columns, &[0.068, 0.060, 0.008]);
    shares(
        "regime",
        "the same since 1999-08",
        &columns,
        &[0.062, 0.044, 0.019],
    );
    let own = "the month itself at its end, since 1985";
    shares("regime", own, &columns[..1], &[0.123]);
    shares(
        "regime",
        "the same in recession months",
        &columns[..1],
        &[0.083],
    );
    let changes = "changes of the label from one month end to the next, since 1985";
    assert_eq!(cell("regime", changes, "months"), "43");
    assert_eq!(
        cell("regime", changes, "label"),
        "34 in today's history within 2 months, 9 undone within 3"
    );
    let columns = [
        "n",
        "mean abs 3 m",
        "mean abs 12 m",
        "p90 12 m",
        "bias 12 m",
        "sign flips 12 m",
    ];
    for (series, expected) in [
        ("PAYEMS", ["723", "60", "66", "142", "+15", "50"]),
        ("UNRATE", ["712", "0.01", "0.04", "0.10", "0.00", "-"]),
        ("INDPRO", ["748", "0.24", "0.28", "0.56", "+0.04", "95"]),
        ("CPIAUCSL", ["367", "0.01", "0.05", "0.11", "0.00", "15"]),
        ("CPILFESL", ["292", "0.01", "0.03", "0.06", "0.00", "2"]),
        ("PCEPI", ["295", "0.03", "0.04", "0.10", "+0.01", "14"]),
        ("GDPC1", ["237", "0.60", "0.83", "1.79", "+0.13", "7"]),
        ("HOUST", ["685", "1.7", "2.0", "4.1", "+0.5", "-"]),
        // One period more than in the study, from a reading of August 2026.
        ("PERMIT", ["308", "0.2", "2.0", "3.8", "+1.7", "-"]),
        // The study has .44 for .43.
        ("W875RX1", ["307", "0.11", "0.20", "0.43", "0.00", "69"]),
        (
            "DPCERA3M086SBEA",
            ["255", "0.14", "0.16", "0.33", "+0.02", "41"],
        ),
        ("CMRMTSPLX", ["307", "0.13", "0.18", "0.40", "0.00", "27"]),
        ("RETAILX", ["307", "0.28", "0.37", "0.76", "+0.11", "51"]),
        ("M2SL", ["307", "0.06", "0.13", "0.29", "-0.02", "20"]),
    ] {
        assert_eq!(
            columns.map(|c| cell("revisions", series, c)),
            expected,
            "{series}"
        );
    }
}

#[test]
fn every_composite_lists_its_inputs() {
    for about in econoscope_core::indicators::indicators() {
        let ticker = about.ticker();
        let tried = cell(ticker, "variants tried before this one", "answer");
        assert!(!tried.is_empty(), "{ticker}");
    }
}

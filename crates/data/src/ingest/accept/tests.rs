//! Roles, comparisons and implausible figures.

use super::*;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::frequency::day_from_number;

#[test]
fn role_depends_on_the_origin_of_stored_rows() {
    let recipe = Source {
        preferred: vec!["treasury".to_owned()],
        ..Source::new("board", "a source", SourceKind::Recipe)
    };
    assert_eq!(recipe.role(Some("board")), Role::Owner);
    assert_eq!(recipe.role(Some("treasury")), Role::Fallback);
    assert_eq!(recipe.role(Some("bundled")), Role::Preferred);
    let fred = Source {
        preferred: recipe.preferred.clone(),
        ..Source::new("fred", "a source", SourceKind::Fred)
    };
    assert_eq!(fred.role(Some("bundled")), Role::Owner);
    assert_eq!(fred.role(Some("treasury")), Role::Fallback);
    let covered = Source {
        is_covered: true,
        ..fred
    };
    assert_eq!(covered.role(Some("bundled")), Role::Fallback);
    assert_eq!(covered.role(Some("fred")), Role::Fallback);
    assert_eq!(
        Source::new("formula", "a source", SourceKind::Formula).role(None),
        Role::Computed
    );
}

fn rows(f: impl Fn(i32) -> f64) -> Vec<Observation> {
    let day = |n| day_from_number(20_000 + n).unwrap();
    (0..80).map(|n| Observation::new(day(n), f(n))).collect()
}

fn compare_values(
    id: &str,
    stored: impl Fn(i32) -> f64,
    incoming: impl Fn(i32) -> f64,
) -> Comparison {
    let info = Catalogue::embedded().get(id).map(AsRef::as_ref);
    compare(info, &rows(stored), &rows(incoming))
}

#[test]
fn same_series_agrees_and_another_differs() {
    let yields = |n: i32| 4.0 + f64::from(n % 7) / 100.0;
    assert_eq!(compare_values("DGS10", yields, yields), Comparison::Agrees);
    for other in [0.35, -0.03, 100.0] {
        let result = compare_values("DGS10", yields, |n| yields(n) + other);
        assert!(
            matches!(result, Comparison::Differs(_)),
            "{other} {result:?}"
        );
    }
    let index = |n: i32| 100.0 + f64::from(n) / 10.0;
    let revised = |n: i32| index(n) + if n > 70 { 0.2 } else { 0.01 };
    assert_eq!(compare_values("INDPRO", index, revised), Comparison::Agrees);
    // A new base year of 2022 instead of 2017.
    let rebased = compare_values("INDPRO", index, |n| index(n) * 0.97);
    assert!(matches!(rebased, Comparison::Differs(_)), "{rebased:?}");
    let thousands = compare_values(
        "PAYEMS",
        |n| 150_000.0 + f64::from(n),
        |n| 150.0 + f64::from(n) / 1e3,
    );
    assert!(matches!(thousands, Comparison::Differs(_)), "{thousands:?}");
}

#[test]
fn too_few_common_dates_give_no_verdict() {
    let info = Catalogue::embedded().get("DGS10").map(AsRef::as_ref);
    let figures = rows(|_| 4.0);
    assert_eq!(
        compare(info, &figures[..4], &figures),
        Comparison::TooFewDates
    );
    assert_eq!(compare(info, &[], &figures), Comparison::TooFewDates);
}

fn daily(values: &[f64]) -> Vec<Observation> {
    (0i32..)
        .zip(values)
        .map(|(n, v)| Observation::new(day_from_number(n).unwrap(), *v))
        .collect()
}

fn is_implausible(before: &[f64], after: f64) -> bool {
    let next = day_from_number(i32::try_from(before.len()).unwrap()).unwrap();
    find_implausible(&daily(before), &[known(next, after)]).is_some()
}

fn known(date: Date, value: f64) -> VintageObservation {
    VintageObservation {
        date,
        known_from: None,
        value: Some(value),
    }
}

#[test]
fn figures_in_another_unit_are_implausible() {
    let mut product = vec![243.0, 900.0, 9_000.0];
    product.extend([29_000.0; NEIGHBOURS]);
    for wrong in [29.5, 29_500_000.0, 1e308, -1e308] {
        assert!(is_implausible(&product, wrong), "{wrong}");
    }
    assert!(is_implausible(&[3.9, 4.1, 4.2], 0.042), "percent as shares");
    assert!(
        is_implausible(&[0.039, 0.041, 0.042], 4.2),
        "shares as percent"
    );
    assert!(is_implausible(&[0.0, 0.0], 1e300) && is_implausible(&[], 1e300));
}

#[test]
fn real_moves_are_plausible() {
    for (before, after) in [
        (&[282.0, 211.0, 6_137.0 / 29.0][..], 6_137.0),
        (&[5.33, 0.05, 0.04], 5.3),
        (&[0.05, 5.33, 5.3, 5.2], 0.05),
        (&[0.5, 0.01, -0.02], 1.7),
        (&[1.0, 0.0, 900.0, 0.0, 0.0], 850.0),
        (&[0.0, 0.0, 0.0], 1.0),
        (&[0.2, -0.3, 0.4], 0.0001),
        (&[4.2, 4.1], 0.0),
    ] {
        assert!(!is_implausible(before, after), "{before:?} then {after}");
    }
}

#[test]
fn old_revisions_are_compared_with_their_own_time() {
    let mut history = vec![243.0; 12];
    history.extend([29_000.0; 24]);
    let first = day_from_number(0).unwrap();
    let before = day_from_number(-9).unwrap();
    assert_eq!(
        find_implausible(
            &daily(&history),
            &[known(first, 242.9), known(before, 241.0)]
        ),
        None
    );
    assert!(find_implausible(&daily(&history), &[known(first, 0.243)]).is_some());
}

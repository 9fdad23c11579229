//! Every date argument of every tool takes the same list of forms, and refuses the same with the same words.

use super::support::{ask, backend, real};
use econoscope_answers::dates::{FORMS, NAMES};
use econoscope_answers::{ENDPOINTS, Route};

/// What everybody may write; the first stands for December 2008, so does what follows up to the first that is relative.
const WRITTEN: [&str; 22] = [
    "2008-12-31",
    "2008-12",
    "2008Q4",
    "2008 Q4",
    "2008-Q4",
    "Q4 2008",
    "2008",
    "December 2008",
    "Dec 2008",
    "dec. 2008",
    "31 December 2008",
    "December 31, 2008",
    "Dec 31st, 2008",
    "today",
    "now",
    "yesterday",
    "5y",
    "3m",
    "30d",
    "2 years ago",
    "ytd",
    "max",
];
const UP_TO_A_DAY_OF_2008: usize = 13;

/// What nobody may, and why.
const REFUSED: [(&str, &str); 9] = [
    ("02/03/2008", "is ambiguous: 2 March or 3 February"),
    ("2008-13", "has month 13"),
    ("31 June 2008", "that month has 30"),
    ("31 June", "has no year"),
    ("2008-02-30", "that month has 29"),
    ("Q5 2008", "has quarter 5"),
    ("1066", "is before 1700"),
    ("soon", "is not a date"),
    ("20081231", "is not a date"),
];

/// A call that works, without what cannot stand beside a date of that name.
fn call<'a>(route: &Route, name: &'a str, text: &'a str) -> Vec<(&'a str, &'a str)> {
    let beside = ["start", "end", "dates", "after"];
    let example = route.spec.example.iter().copied();
    let mut call: Vec<_> = example
        .filter(|(known, _)| *known != name && !beside.contains(known))
        .collect();
    match (route.spec.tool, name) {
        // A change of a figure with parts has a date of its own.
        ("explain_indicator", "date") => call = vec![("indicator", "PAYEMS")],
        ("explain_indicator", _) => call = vec![("indicator", "regime")],
        // Stages have their own days; a claim is judged as of one.
        ("get_revisions", "as_of") => call = vec![("claim", "UNRATE 2008-06 >= 5")],
        _ => {}
    }
    call.push((name, text));
    call
}

/// Every tool with each of its arguments that is a date.
fn all() -> impl Iterator<Item = (&'static Route, &'static str)> {
    ENDPOINTS
        .iter()
        .flat_map(|route| NAMES.map(|name| (route, name)))
        .filter(|(route, name)| route.has_argument(name))
}

#[test]
fn date_arguments_accept_the_same_forms() {
    let backend = backend(real());
    let mut answered = 0;
    let mut arguments = 0;
    for (route, name) in all() {
        let tool = route.spec.tool;
        arguments += 1;
        for (n, text) in WRITTEN.iter().enumerate() {
            match ask(&backend, tool, &call(route, name, text)) {
                Ok((json, prose)) => {
                    answered += 1;
                    if name == "as_of" && (1..UP_TO_A_DAY_OF_2008).contains(&n) {
                        // A claim is judged by today's figures, too.
                        let day = match tool {
                            "get_revisions" => &json["claim"]["verdicts"][1]["known"],
                            _ => &json["as_of"],
                        };
                        assert_eq!(day, "2008-12-31", "{tool}");
                        let names_day =
                            prose.contains("2008-12-31") || prose.contains("31 December 2008");
                        assert!(names_day, "{tool} {text}: {prose}");
                    }
                }
                // A date that is understood can still be one that there is no answer for.
                Err(error) => {
                    let said = error.to_string();
                    assert!(!said.contains(FORMS), "{tool} {name}={text}: {said}");
                    assert_ne!(name, "as_of", "{tool} {text}: {said}");
                }
            }
        }
    }
    println!("{arguments} arguments, {answered} answers");
    assert!(
        arguments >= 19 && answered >= 300,
        "{arguments}: {answered}"
    );
}

#[test]
fn date_arguments_share_their_error_messages() {
    let backend = backend(real());
    for (route, name) in all() {
        for (text, problem) in REFUSED {
            let tool = route.spec.tool;
            let refused = ask(&backend, tool, &call(route, name, text));
            let said = refused.map(|_| ()).unwrap_err().to_string();
            let begins = format!("{name}=\"{text}\" {problem}");
            assert!(
                said.contains(problem) && said.contains(FORMS),
                "{tool}: {said}"
            );
            assert!(
                said.starts_with(begins.split(" that month").next().unwrap()),
                "{tool}: {said}"
            );
        }
    }
}

#[test]
fn written_date_equals_the_iso_day() {
    let backend = backend(real());
    let asked = |tool: &str, arguments: &[(&str, &str)]| {
        let (mut json, _) = ask(&backend, tool, arguments).unwrap();
        json.as_object_mut().unwrap().remove("notes");
        json
    };
    for (tool, id) in [
        ("get_metric", ("ticker", "UNRATE")),
        ("get_regime", ("as_known", "false")),
    ] {
        let plain = asked(tool, &[id, ("as_of", "2008-12-31")]);
        for text in &WRITTEN[1..UP_TO_A_DAY_OF_2008] {
            assert_eq!(asked(tool, &[id, ("as_of", text)]), plain, "{tool} {text}");
        }
    }
    let id = ("seriesId", "UNRATE");
    let plain = asked(
        "get_time_series",
        &[id, ("start", "2008-01-01"), ("end", "2009-03-31")],
    );
    let written = asked(
        "get_time_series",
        &[id, ("start", "2008"), ("end", "Q1 2009")],
    );
    assert_eq!(written, plain);
    let listed = asked(
        "get_time_series",
        &[id, ("dates", "December 15, 2008,2009-03")],
    );
    assert_eq!(listed["data"][0]["value"], 7.3);
    assert_eq!(listed["data"][1]["value"], 8.7);
}

//! What can be called and with which arguments, out of the endpoint table.

use super::table::columns;
use econoscope_answers::endpoints::{ENDPOINTS, Route};
use econoscope_core::model::words::nearest;
use std::fmt::Write as _;

/// All tools with what they are for; before them the flags of `call`, where help was asked for.
pub(super) fn tools(with_flags: bool) -> String {
    let rows = ENDPOINTS.iter().map(|route| {
        let spec = route.spec;
        [spec.tool.to_owned(), spec.summary.to_owned()]
    });
    let flags = match with_flags {
        true => crate::config::help_of("call") + "\n",
        false => "Usage: econoscope call TOOL [NAME=VALUE]...\n\n".to_owned(),
    };
    let list = columns(rows);
    format!("{flags}Tools:\n{list}\n\neconoscope call TOOL --help tells the arguments of one.")
}

/// What is said of a name that is no tool's.
pub(super) fn unknown(tool: &str) -> String {
    let names: Vec<&str> = ENDPOINTS.iter().map(|route| route.spec.tool).collect();
    let hint = match nearest(names.iter().copied(), tool) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("there are {}", names.join(", ")),
    };
    format!(
        "no tool is called {}; {hint}",
        econoscope_data::disk::escaped(tool)
    )
}

/// A call of a tool that works on any data.
pub(super) fn example(route: &Route) -> String {
    let mut line = format!("econoscope call {}", route.spec.tool);
    for (name, value) in route.spec.example {
        let is_plain = value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_,.:".contains(c));
        let pair = match is_plain {
            true => format!(" {name}={value}"),
            false => format!(" '{name}={value}'"),
        };
        line += &pair;
    }
    line
}

/// The arguments of a tool with what each may be, and a call that works.
pub(super) fn tool(route: &Route) -> String {
    let spec = route.spec;
    let mut text = format!("{}: {}\n\n", spec.title, spec.summary);
    let arguments: Vec<_> = route.arguments().collect();
    let usage: Vec<String> = arguments
        .iter()
        .map(|argument| match argument.is_required {
            true => format!(" {}=…", argument.name),
            false => format!(" [{}=…]", argument.name),
        })
        .collect();
    text += &format!("Usage: econoscope call {}{}\n\n", spec.tool, usage.concat());
    if arguments.is_empty() {
        text += "It takes no arguments.\n\n";
    } else {
        let rows = arguments.into_iter().map(|argument| {
            let mut said = argument.allowed;
            if argument.is_required {
                said += "; required";
            }
            if let Some(default) = argument.default {
                // Writing to a String cannot fail.
                let _ = write!(said, "; default {default}");
            }
            [
                argument.name,
                format!("{said}. {}", argument.meaning.replace('\n', " ")),
            ]
        });
        text += &format!("Arguments:\n{}\n\n", columns(rows));
    }
    let lists = super::rows::lists(route);
    text += &match lists.is_empty() {
        true => "Its answer has no rows: --text or --json prints it.\n\n".to_owned(),
        false => format!("Rows for --table and --csv: {}\n\n", lists.join(", ")),
    };
    text + &format!("Example:\n  {}", example(route))
}

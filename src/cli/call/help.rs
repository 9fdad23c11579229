//! Help texts of `call`, from the endpoint table.

use super::table::two_columns;
use econoscope_answers::{ENDPOINTS, Route};
use econoscope_core::model::words::nearest_name;

/// Renders the list of tools, after the usage of `call` or its whole help.
pub(super) fn render_tools(with_flags: bool) -> String {
    let rows = ENDPOINTS.iter().map(|route| {
        let spec = &route.spec;
        [spec.tool.to_owned(), spec.summary.to_owned()]
    });
    let flags = if with_flags {
        crate::config::render_help("call") + "\n"
    } else {
        "Usage: econoscope call TOOL [NAME=VALUE]...\n\n".to_owned()
    };
    let list = two_columns(rows);
    format!("{flags}Tools:\n{list}\n\neconoscope call TOOL --help lists the arguments of one.")
}

/// Describes the error for a name that is no tool's, with the nearest name.
pub(super) fn describe_unknown_tool(tool: &str) -> String {
    let names: Vec<&str> = ENDPOINTS.iter().map(|route| route.spec.tool).collect();
    let hint = match nearest_name(names.iter().copied(), tool) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("choose one of {}", names.join(", ")),
    };
    let tool = econoscope_data::disk::escape_controls(tool);
    format!("unknown tool {tool}; {hint}")
}

/// Describes the error for a name that is no argument's, with the nearest one.
pub(super) fn describe_unknown_argument(route: &Route, name: &str) -> String {
    let names: Vec<String> = route.arguments().map(|argument| argument.name).collect();
    let hint = match nearest_name(names.iter().map(String::as_str), name) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("it takes {}", names.join(", ")),
    };
    let tool = route.spec.tool;
    let given = econoscope_data::disk::escape_controls(name);
    format!("{given} is not an argument of {tool}; {hint} See econoscope call {tool} --help.")
}

/// Returns a command that calls the tool and works on any data.
pub(super) fn example_command(route: &Route) -> String {
    let mut command = format!("econoscope call {}", route.spec.tool);
    for (name, value) in &route.spec.example {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_,.:".contains(c);
        command += &if value.chars().all(is_plain) {
            format!(" {name}={value}")
        } else {
            format!(" '{name}={value}'")
        };
    }
    command
}

/// Renders the help of a tool: its arguments, its rows and an example.
pub(super) fn render_tool(route: &Route) -> String {
    let spec = &route.spec;
    let mut text = format!("{}: {}\n\n", spec.title, spec.summary);
    let usage: String = route
        .arguments()
        .map(|argument| {
            if argument.is_required {
                format!(" {}=…", argument.name)
            } else {
                format!(" [{}=…]", argument.name)
            }
        })
        .collect();
    text += &format!("Usage: econoscope call {}{usage}\n\n", spec.tool);
    let rows = route.arguments().map(|argument| {
        let mut allowed = argument.allowed;
        if argument.is_required {
            allowed += "; required";
        }
        let default = argument.default.iter();
        allowed.extend(default.map(|default| format!("; default {default}")));
        let meaning = argument.meaning.replace('\n', " ");
        [argument.name, format!("{allowed}. {meaning}")]
    });
    text += &format!("Arguments:\n{}\n\n", two_columns(rows));
    let lists = super::rows::list_fields(route);
    text += &if lists.is_empty() {
        "Its answer has no rows; print it with --text or --json.\n\n".to_owned()
    } else {
        format!("Rows for --table and --csv: {}\n\n", lists.join(", "))
    };
    text + &format!("Example:\n  {}", example_command(route))
}

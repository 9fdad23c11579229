//! Help texts of `call`, from the endpoint table.

use super::table::two_columns;
use crate::config::suggest;
use econoscope_answers::{ENDPOINTS, Route};

/// Renders the list of tools, after the usage of `call` or its whole help.
pub(super) fn render_tools(with_flags: bool) -> String {
    let rows = ENDPOINTS
        .iter()
        .map(|route| [route.spec.tool, route.spec.summary].map(str::to_owned));
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
    let names = ENDPOINTS.iter().map(|route| route.spec.tool);
    let hint = suggest(names, tool, "choose one of ");
    let tool = econoscope_data::disk::escape_controls(tool);
    format!("unknown tool {tool}; {hint}")
}

/// Describes the error for a name that is no argument's, with the nearest one.
pub(super) fn describe_unknown_argument(route: &Route, name: &str) -> String {
    let names: Vec<String> = route.arguments().map(|argument| argument.name).collect();
    let hint = suggest(names.iter().map(String::as_str), name, "it takes ");
    let tool = route.spec.tool;
    let given = econoscope_data::disk::escape_controls(name);
    format!("{given} is not an argument of {tool}; {hint} See econoscope call {tool} --help.")
}

/// Returns a command that calls the tool and works on any data.
pub(super) fn example_command(route: &Route) -> String {
    let mut command = format!("econoscope call {}", route.spec.tool);
    for (name, value) in &route.spec.example {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_,.:".contains(c);
        let quote = if value.chars().all(is_plain) { "" } else { "'" };
        command += &format!(" {quote}{name}={value}{quote}");
    }
    command
}

/// Renders the help of a tool: its arguments, its rows and an example.
pub(super) fn render_tool(route: &Route) -> String {
    let spec = &route.spec;
    let mut text = format!("{}: {}\n\n", spec.title, spec.summary);
    text += &format!("Usage: econoscope call {}", spec.tool);
    for argument in route.arguments() {
        let usage = format!("{}=…", argument.name);
        text += &if argument.is_required {
            format!(" {usage}")
        } else {
            format!(" [{usage}]")
        };
    }
    text += "\n\n";
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

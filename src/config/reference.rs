//! The reference of all flags, docs/CONFIGURATION.md.

use super::settings::command;
use clap::{Arg, Command};
use econoscope_core::indicators::prose::join;

/// Path of the page in the repository.
pub(crate) const PATH: &str = "docs/CONFIGURATION.md";

const HEAD: &str = include_str!("../../templates/configuration.md");

/// Renders the page.
pub(crate) fn page() -> String {
    let command = command();
    let mut text = HEAD.to_owned() + &render_section("All commands", &command);
    let mut commands: Vec<_> = command
        .get_subcommands()
        .filter(|c| c.get_arguments().count() > 0)
        .collect();
    commands.sort_by_key(|command| command.get_name());
    for sub in commands {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        text += &render_section(&format!("`econoscope {}`: {about}", sub.get_name()), sub);
    }
    text
}

fn render_section(title: &str, command: &Command) -> String {
    let head = "| flag | environment | default | meaning |\n|---|---|---|---|";
    let mut text = format!("\n## {title}\n\n{head}\n");
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        text += &render_row(arg);
    }
    text
}

fn render_row(arg: &Arg) -> String {
    let takes_value = arg.get_action().takes_values();
    let value = arg
        .get_value_names()
        .filter(|_| takes_value)
        .map(|names| names.join(" ").replace('|', "\\|"));
    let name = match (arg.get_long(), value) {
        (Some(long), Some(value)) => format!("`--{long} {value}`"),
        (Some(long), None) => format!("`--{long}`"),
        (None, value) => format!("`{}`", value.unwrap_or_default()),
    };
    let code = |text: &std::ffi::OsStr| format!("`{}`", text.to_string_lossy());
    let env = arg.get_env().map(code).unwrap_or_default();
    let defaults = arg.get_default_values().iter().filter(|_| takes_value);
    let default = join(defaults.map(|value| code(value)), " ");
    let text = arg.get_help().map_or_else(String::new, ToString::to_string);
    let help = text.replace('|', "\\|").replace('\n', " ");
    format!("| {name} | {env} | {default} | {help} |\n")
}

//! `econoscope call`: calls a tool and prints its answer as text, JSON, CSV or a table.

mod help;
mod rows;
pub(super) mod table;

use super::EXIT_USAGE;
use super::demo::MAX_WIDTH;
use super::output::{print, report_error};
use crate::app;
use crate::config::{Call, Config};
use anyhow::{Context, Result};
use econoscope_answers::route::decode;
use econoscope_answers::{Arguments, ENDPOINTS, Reply, Route};
use econoscope_core::indicators::prose::join;
use econoscope_desk::Audience;
use rows::Rows;
use serde_json::Value;
use std::io::IsTerminal;
use std::process::ExitCode;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputFormat {
    Text,
    Json,
    Csv,
    Table,
}

/// Calls a tool and prints its answer, or prints help.
///
/// Errors of the tool are reported. The exit code is 2 for invalid arguments and 1 for other errors.
///
/// # Errors
/// When the store cannot be opened or stdout cannot be written.
pub(super) async fn call(config: &Config, options: &Call) -> Result<ExitCode> {
    let Some(tool) = &options.tool else {
        print(&help::render_tools(options.help))?;
        return Ok(ExitCode::from(if options.help { 0 } else { EXIT_USAGE }));
    };
    let Some(route) = Route::find(tool) else {
        return usage_error(&help::describe_unknown_tool(tool));
    };
    if options.help {
        print(&help::render_tool(route))?;
        return Ok(ExitCode::SUCCESS);
    }
    let format = output_format(options, route);
    let has_rows = |route: &Route| !rows::list_fields(route).is_empty();
    if !has_rows(route) && matches!(format, OutputFormat::Csv | OutputFormat::Table) {
        let with_rows = ENDPOINTS.iter().filter(|route| has_rows(route));
        let names = join(with_rows.map(|route| route.spec.tool), ", ");
        return usage_error(&format!(
            "the answer of {tool} has no rows; print it with --text or --json. Tools with rows: {names}"
        ));
    }
    let mut arguments = match parse_arguments(route, &options.arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return usage_error(&problem),
    };
    if format == OutputFormat::Csv && route.has_argument("format") {
        arguments.insert("format".into(), "csv".into());
    }
    // The text is what an assistant gets, with an assistant's defaults.
    if format == OutputFormat::Text {
        arguments = route.with_assistant_defaults(arguments);
    }
    let backend = app::open_backend(config, None, Audience::Own)?;
    match route.call(&backend, arguments).await {
        Ok(reply) => {
            print(&render(route, &reply, format)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) if matches!(error, econoscope_core::Error::InvalidParam { .. }) => {
            usage_error(&format!("{error} See econoscope call {tool} --help."))
        }
        Err(error) => {
            report_error(&error.operator_message());
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Wraps a text for the reader of a terminal; a program gets its lines as they are.
fn wrapped(text: &str) -> String {
    if !std::io::stdout().is_terminal() {
        return text.to_owned();
    }
    join(text.lines().map(|line| table::wrap(line, MAX_WIDTH)), "\n")
}

fn usage_error(problem: &str) -> Result<ExitCode> {
    report_error(problem);
    Ok(ExitCode::from(EXIT_USAGE))
}

/// Returns the format of the flags. The default is a table or text on a terminal, and JSON elsewhere.
fn output_format(options: &Call, route: &Route) -> OutputFormat {
    match (options.text, options.json, options.csv, options.table) {
        (true, ..) => OutputFormat::Text,
        (_, true, ..) => OutputFormat::Json,
        (_, _, true, _) => OutputFormat::Csv,
        (.., true) => OutputFormat::Table,
        _ if !std::io::stdout().is_terminal() => OutputFormat::Json,
        _ if rows::list_fields(route).is_empty() => OutputFormat::Text,
        _ => OutputFormat::Table,
    }
}

/// Parses `name=value` pairs. A name that is repeated becomes a list. A first value without a name is the tool's first
/// required argument, or its first argument.
fn parse_arguments(route: &Route, pairs: &[String]) -> Result<Arguments, String> {
    let mut arguments = Arguments::new();
    let first = route
        .arguments()
        .find(|argument| argument.is_required)
        .or_else(|| route.arguments().next());
    for (at, pair) in pairs.iter().enumerate() {
        let argument = first.as_ref().filter(|_| at == 0);
        let unnamed = argument.map(|argument| (argument.name.as_str(), pair.as_str()));
        let Some((name, value)) = pair.split_once('=').or(unnamed) else {
            let pair = econoscope_data::disk::escape_controls(pair);
            let example = help::example_command(route);
            return Err(format!(
                "{pair} is not of the form name=value; for example: {example}"
            ));
        };
        if !route.has_argument(name) {
            return Err(help::describe_unknown_argument(route, name));
        }
        decode::add_argument(&mut arguments, name, value);
    }
    Ok(arguments)
}

fn render(route: &Route, reply: &Reply, format: OutputFormat) -> Result<String> {
    if let Some(csv) = reply.csv.as_ref().filter(|_| format != OutputFormat::Text) {
        return Ok(String::from_utf8_lossy(&csv.body).into_owned());
    }
    let json = String::from_utf8_lossy(&reply.json);
    let is_json = *reply.text == *json;
    if format == OutputFormat::Json {
        return Ok(json.into_owned());
    }
    if format == OutputFormat::Text && !is_json {
        return Ok(wrapped(&reply.text));
    }
    let answer: Value = serde_json::from_str(&json).context("reading the answer")?;
    if format == OutputFormat::Table {
        let tables = Rows::of_each_list(route, &answer);
        return Ok(table::render_answer(&tables, &reply.text, &answer));
    }
    let rows = Rows::of_all_lists(route, &answer);
    if format == OutputFormat::Csv {
        return rows.to_csv();
    }
    // The text of this tool is its JSON, so its rows are rendered for people.
    Ok(match answer.get("text") {
        Some(Value::String(text)) => text.clone(),
        _ => table::render_plain(&rows),
    })
}

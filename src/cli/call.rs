//! `econoscope call`: one tool asked from the command line, its answer in the form that suits who reads it.

mod help;
mod rows;
pub(super) mod table;

use super::USAGE;
use super::print::{complain, print};
use crate::app;
use crate::config::{Call, Config};
use anyhow::{Context, Result};
use econoscope_answers::endpoints::{Arguments, ENDPOINTS, Reply, Route, decode};
use rows::Rows;
use serde_json::Value;
use std::io::IsTerminal;
use std::process::ExitCode;

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
    Csv,
    Table,
}

/// Calls a tool and prints its answer, or says what can be called.
///
/// # Errors
/// When no store can be opened, or stdout not be written. What the tool says against its arguments is printed, and the
/// exit code is 2; what else it could not do, 1.
pub(super) async fn call(config: &Config, call: &Call) -> Result<ExitCode> {
    let Some(tool) = &call.tool else {
        print(&help::tools(call.help))?;
        return Ok(ExitCode::from(if call.help { 0 } else { USAGE }));
    };
    let Some(route) = Route::find(tool) else {
        return usage(&help::unknown(tool));
    };
    if call.help {
        print(&help::tool(route))?;
        return Ok(ExitCode::SUCCESS);
    }
    let form = form(call, route);
    let lists = rows::lists(route);
    if lists.is_empty() && matches!(form, Form::Csv | Form::Table) {
        let with_rows = ENDPOINTS.iter().filter(|r| !rows::lists(r).is_empty());
        let names: Vec<&str> = with_rows.map(|r| r.spec.tool).collect();
        let names = names.join(", ");
        return usage(&format!(
            "the answer of {tool} has no rows; print it with --text or --json. Tools with rows: {names}"
        ));
    }
    let mut arguments = match arguments(route, &call.arguments) {
        Ok(arguments) => arguments,
        Err(problem) => return usage(&problem),
    };
    if form == Form::Csv && route.takes("format") {
        arguments.insert("format".into(), "csv".into());
    }
    // Prose is what an assistant reads, with what it would have asked for.
    if form == Form::Text {
        arguments = route.for_assistant(arguments);
    }
    let backend = app::backend(config, None, true)?;
    match route.call(&backend, arguments).await {
        Ok(reply) => {
            print(&shown(route, &reply, form)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) if matches!(error, econoscope_core::Error::InvalidParam { .. }) => {
            usage(&format!("{error} See econoscope call {tool} --help."))
        }
        Err(error) => {
            complain(&error.for_operator());
            Ok(ExitCode::FAILURE)
        }
    }
}

fn usage(problem: &str) -> Result<ExitCode> {
    complain(problem);
    Ok(ExitCode::from(USAGE))
}

/// The form asked for; else what a person reads on a terminal, and what a program reads elsewhere.
fn form(call: &Call, route: &Route) -> Form {
    let is_read_by_a_person = || std::io::stdout().is_terminal();
    match (call.text, call.json, call.csv, call.table) {
        (true, ..) => Form::Text,
        (_, true, ..) => Form::Json,
        (_, _, true, _) => Form::Csv,
        (.., true) => Form::Table,
        _ if !is_read_by_a_person() => Form::Json,
        _ if rows::lists(route).is_empty() => Form::Text,
        _ => Form::Table,
    }
}

/// `name=value` pairs as arguments; what is given more than once is a list. A first word without a name is the tool's
/// first required argument, or its first.
fn arguments(route: &Route, pairs: &[String]) -> Result<Arguments, String> {
    let mut arguments = Arguments::new();
    let first = route.arguments().find(|argument| argument.is_required);
    let first = first.or_else(|| route.arguments().next());
    for (at, pair) in pairs.iter().enumerate() {
        let unnamed = first
            .as_ref()
            .filter(|_| at == 0)
            .map(|first| (first.name.as_str(), pair.as_str()));
        let Some((name, value)) = pair.split_once('=').or(unnamed) else {
            let (pair, example) = (econoscope_data::disk::escaped(pair), help::example(route));
            return Err(format!(
                "{pair} is not of the form name=value; for example: {example}"
            ));
        };
        decode::add(&mut arguments, name, value);
    }
    Ok(arguments)
}

fn shown(route: &Route, reply: &Reply, form: Form) -> Result<String> {
    if let Some(csv) = reply.csv.as_ref().filter(|_| form != Form::Text) {
        return Ok(String::from_utf8_lossy(&csv.body).into_owned());
    }
    let json = String::from_utf8_lossy(&reply.json);
    if form == Form::Json {
        return Ok(json.into_owned());
    }
    let answer: Value = serde_json::from_str(&json).context("reading the answer")?;
    let rows = Rows::of(route, &answer);
    match form {
        Form::Csv => rows.csv(),
        Form::Table => {
            let lists = Rows::each(route, &answer);
            Ok(table::with_words(&lists, &reply.text, &answer))
        }
        // What these two tools tell a model is their JSON.
        Form::Text | Form::Json if *reply.text == *json => Ok(match answer.get("text") {
            Some(Value::String(text)) => text.clone(),
            _ => table::plain(&rows),
        }),
        Form::Text | Form::Json => Ok(reply.text.to_string()),
    }
}

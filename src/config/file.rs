//! The settings file: TOML whose keys are the names of the flags.
//!
//! What a flag or the environment says stands; what neither says is taken from the file, as if it had been
//! written on the command line. So every value is read and refused by the same code, wherever it came from.

use super::settings::{Command as Task, Config, command, typed};
use anyhow::{Context, Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use std::ffi::OsString;

/// Flags that make no sense in a file.
const NOT_IN_A_FILE: [&str; 3] = ["config", "help", "version"];

/// Settings from the command line, the environment and the file that one of them names.
///
/// # Errors
/// When the file cannot be read, has an unknown key, or a value that the flag would not take.
pub(crate) fn load(arguments: Vec<OsString>) -> Result<Config> {
    let config = read(arguments)?;
    super::check::check(&config)?;
    if let Some(key) = &config.sources.fred_key {
        key.check()
            .context("--fred-key, ECONOSCOPE_FRED_KEY or fred-key in the settings file")?;
    }
    if let Some(Task::Serve(serve)) = &config.command
        && let Some(address) = &serve.limits.shared
    {
        let problem = address.check().map_err(anyhow::Error::msg);
        problem.context("--limits, ECONOSCOPE_LIMITS or limits in the settings file")?;
    }
    Ok(config)
}

fn read(arguments: Vec<OsString>) -> Result<Config> {
    let matches = typed()
        .try_get_matches_from(&arguments)
        .unwrap_or_else(|e| e.exit());
    let first = Config::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    let Some(file) = first.config.as_deref() else {
        return Ok(first);
    };
    let shown = econoscope_data::disk::shown(file);
    let text = econoscope_data::disk::read_text(file)
        .with_context(|| format!("cannot read the settings file {shown}"))?;
    let matches = merged(arguments, &matches, &text).and_then(|arguments| {
        let matches = command().try_get_matches_from(arguments);
        matches.map_err(|problem| anyhow::anyhow!(told(&problem)))
    });
    Ok(Config::from_arg_matches(&matches.context(shown)?)?)
}

/// Whether the log was asked for as JSON, as far as that can be read: for what is wrong with the settings themselves.
pub(crate) fn wants_json(arguments: &[OsString]) -> bool {
    let asked = command()
        .ignore_errors(true)
        .try_get_matches_from(arguments);
    let Ok(matches) = asked else { return false };
    let in_file = || {
        let file = matches.get_one::<std::path::PathBuf>("config")?;
        let text = econoscope_data::disk::read_text(file).ok()?;
        let table: toml::Table = toml::from_str(&text).ok()?;
        table.get("log-json")?.as_bool()
    };
    matches.get_flag("log_json") || in_file().unwrap_or(false)
}

/// What is wrong with a value, in the words for a flag without what only helps at a command line.
fn told(problem: &clap::Error) -> String {
    let text = problem.to_string();
    let told = text.split("\n\n").next().unwrap_or_default();
    let told = told.trim_start_matches("error: ").replace("'--", "'");
    econoscope_data::disk::escaped(&told)
}

/// The command line with what the file adds: general settings before the command, those of `serve` behind it.
fn merged(mut arguments: Vec<OsString>, matches: &ArgMatches, text: &str) -> Result<Vec<OsString>> {
    let table: toml::Table = toml::from_str(text).map_err(|e| {
        // The error's own text would show the line, and a key may stand in it.
        let before = e.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count() + 1;
        anyhow::anyhow!("invalid TOML, line {line}: {}", e.message())
    })?;
    let command = command();
    let mut general = Vec::new();
    let mut serving = Vec::new();
    for (key, value) in &table {
        let found = settings(&command).find(|(name, ..)| *name == key);
        let Some((_, flag, is_general)) = found else {
            if let toml::Value::Table(inside) = value {
                let first = inside.keys().next().map_or("listen", String::as_str);
                bail!(
                    "settings are not in groups; leave the line [{key}] out, so that {first} stands by itself"
                );
            }
            let nearest = nearest(&command, key);
            bail!("there is no setting called {key}. {nearest}");
        };
        let (scope, words_of_scope) = match is_general {
            true => (Some(matches), &mut general),
            false => (matches.subcommand_matches("serve"), &mut serving),
        };
        let Some(scope) = scope else { continue };
        use ValueSource::{CommandLine, EnvVariable};
        let source = scope.value_source(flag.get_id().as_str());
        if !matches!(source, Some(CommandLine | EnvVariable)) {
            words_of_scope.extend(words(flag, key, value)?);
        }
    }
    arguments.extend(serving);
    let program = usize::from(!arguments.is_empty());
    arguments.splice(program..program, general);
    Ok(arguments)
}

/// Every key a file may have: its flag, and whether that stands before the command.
fn settings(command: &Command) -> impl Iterator<Item = (&str, &Arg, bool)> {
    let serve = command.find_subcommand("serve");
    let serving = serve.into_iter().flat_map(Command::get_arguments);
    let general = command.get_arguments().map(|arg| (arg, true));
    let all = general.chain(serving.map(|arg| (arg, false)));
    all.filter_map(|(arg, is_general)| {
        let key = arg.get_long().filter(|key| !NOT_IN_A_FILE.contains(key))?;
        Some((key, arg, is_general))
    })
}

fn nearest(command: &Command, key: &str) -> String {
    let known = settings(command).map(|(known, ..)| known);
    match econoscope_core::model::words::nearest(known, &key.replace('_', "-")) {
        Some(known) => format!("Did you mean {known}?"),
        None => "See docs/CONFIGURATION.md for all of them.".into(),
    }
}

/// A value as it would stand on the command line.
fn words(flag: &Arg, key: &str, value: &toml::Value) -> Result<Vec<OsString>> {
    let word = |value: &toml::Value| match value {
        toml::Value::String(text) => Ok(OsString::from(format!("--{key}={text}"))),
        toml::Value::Integer(number) => Ok(OsString::from(format!("--{key}={number}"))),
        toml::Value::Boolean(_)
        | toml::Value::Float(_)
        | toml::Value::Datetime(_)
        | toml::Value::Array(_)
        | toml::Value::Table(_) => bail!("{key} must be a text or a whole number"),
    };
    match (flag.get_action(), value) {
        (ArgAction::SetTrue, toml::Value::Boolean(true)) => Ok(vec![format!("--{key}").into()]),
        (ArgAction::SetTrue, toml::Value::Boolean(false)) => Ok(Vec::new()),
        (ArgAction::SetTrue, _) => bail!("{key} must be true or false"),
        (ArgAction::Append, toml::Value::Array(values)) => values.iter().map(word).collect(),
        (_, value) => Ok(vec![word(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, line: &[&str]) -> Result<Config> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("econoscope.toml");
        std::fs::write(&file, text).unwrap();
        let mut arguments: Vec<OsString> =
            vec!["econoscope".into(), "--config".into(), file.into()];
        arguments.extend(line.iter().map(OsString::from));
        load(arguments)
    }

    fn serve(config: &Config) -> &crate::config::Serve {
        match &config.command {
            Some(crate::config::Command::Serve(serve)) => serve,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_fills_what_flags_leave_open() {
        let text = "service-name = \"Macro\"\nlisten = \"127.0.0.1:9\"\nno-sync = true\nrate-limit = 7\n\
            trusted-proxy = [\"10.0.0.0/8\", \"192.0.2.1\"]\nlog-json = false\n";
        let config = with(text, &["serve", "--rate-limit", "9"]).unwrap();
        assert_eq!(config.service_name, "Macro");
        let serve = serve(&config);
        assert_eq!(serve.listen.port(), 9);
        assert!(serve.no_sync && !config.log_json);
        assert_eq!(serve.limits.general, 9, "a flag stands");
        assert_eq!(serve.limits.trusted_proxies.len(), 2);
        let other = with(text, &["call", "get_regime"]).unwrap();
        assert_eq!(
            other.service_name, "Macro",
            "settings of serve do not disturb other commands"
        );
    }

    #[test]
    fn an_unknown_key_or_a_wrong_value_is_an_error_that_names_it() {
        let said = |text: &str| format!("{:#}", with(text, &["serve"]).unwrap_err());
        assert!(said("rate_limit = 7").contains("rate_limit. Did you mean rate-limit?"));
        assert!(said("config = \"x\"").contains("no setting called config"));
        assert!(said("no-sync = 1").contains("no-sync must be true or false"));
        assert!(said("listen = \"nowhere\"").contains("nowhere"));
        assert!(said("listen = ").contains("TOML"));
        assert!(said("base-url = [\"a\"]").contains("base-url must be a text"));
    }
}

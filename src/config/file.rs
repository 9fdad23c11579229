//! The settings file: TOML whose keys are the names of the flags.
//!
//! What a flag or the environment says stands; what neither says is taken from the file, as if it had been
//! written on the command line. So every value is read and refused by the same code, wherever it came from.

use super::Config;
use anyhow::{Context, Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;
use std::path::Path;

/// Flags that make no sense in a file.
const NOT_IN_A_FILE: [&str; 3] = ["config", "help", "version"];

/// Settings from the command line, the environment and the file that one of them names.
///
/// # Errors
/// When the file cannot be read, has an unknown key, or a value that the flag would not take.
pub(crate) fn load(arguments: Vec<OsString>) -> Result<Config> {
    let matches = Config::command()
        .try_get_matches_from(&arguments)
        .unwrap_or_else(|e| e.exit());
    let first = Config::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    let Some(file) = first.config.as_deref() else {
        return Ok(first);
    };
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the settings file {}", file.display()))?;
    let arguments = merged(arguments, &matches, file, &text)?;
    let matches = Config::command()
        .try_get_matches_from(arguments)
        .with_context(|| format!("with the settings of {}", file.display()))?;
    Ok(Config::from_arg_matches(&matches)?)
}

/// The command line with what the file adds: general settings before the command, those of `serve` behind it.
fn merged(
    mut arguments: Vec<OsString>,
    matches: &ArgMatches,
    file: &Path,
    text: &str,
) -> Result<Vec<OsString>> {
    let table: toml::Table =
        toml::from_str(text).with_context(|| format!("{} is not right TOML", file.display()))?;
    let command = Config::command();
    let mut general = Vec::new();
    let mut serving = Vec::new();
    for (key, value) in &table {
        let Some((flag, is_general)) = flag(&command, key) else {
            bail!(
                "{}: there is no setting called {key}. {}",
                file.display(),
                nearest(&command, key)
            );
        };
        let scope = if is_general {
            Some(matches)
        } else {
            matches.subcommand_matches("serve")
        };
        let Some(scope) = scope else { continue };
        let source = scope.value_source(flag.get_id().as_str());
        if matches!(
            source,
            Some(ValueSource::CommandLine | ValueSource::EnvVariable)
        ) {
            continue;
        }
        let words = words(flag, key, value).with_context(|| file.display().to_string())?;
        if is_general {
            general.extend(words);
        } else {
            serving.extend(words);
        }
    }
    arguments.extend(serving);
    let program = usize::from(!arguments.is_empty());
    arguments.splice(program..program, general);
    Ok(arguments)
}

/// The flag of a key, and whether it stands before the command.
fn flag<'a>(command: &'a Command, key: &str) -> Option<(&'a Arg, bool)> {
    let has = |arg: &&Arg| arg.get_long() == Some(key) && !NOT_IN_A_FILE.contains(&key);
    let general = command.get_arguments().find(has).map(|arg| (arg, true));
    general.or_else(|| {
        let serve = command.find_subcommand("serve")?;
        serve.get_arguments().find(has).map(|arg| (arg, false))
    })
}

/// Every key a file may have.
fn keys(command: &Command) -> Vec<String> {
    let serve = command.find_subcommand("serve");
    command
        .get_arguments()
        .chain(serve.into_iter().flat_map(Command::get_arguments))
        .filter_map(Arg::get_long)
        .filter(|key| !NOT_IN_A_FILE.contains(key))
        .map(str::to_owned)
        .collect()
}

fn nearest(command: &Command, key: &str) -> String {
    let key = key.replace('_', "-");
    let best = keys(command)
        .into_iter()
        .map(|known| (strsim::jaro_winkler(&known, &key), known))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((likeness, known)) if likeness > 0.8 => format!("Did you mean {known}?"),
        Some(_) | None => "See docs/CONFIGURATION.md for all of them.".into(),
    }
}

/// A value as it would stand on the command line.
fn words(flag: &Arg, key: &str, value: &toml::Value) -> Result<Vec<OsString>> {
    let takes_none = matches!(flag.get_action(), ArgAction::SetTrue);
    let one = |value: &toml::Value| -> Result<OsString> {
        let text = match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Boolean(_)
            | toml::Value::Float(_)
            | toml::Value::Datetime(_)
            | toml::Value::Array(_)
            | toml::Value::Table(_) => bail!("{key} must be a text or a whole number"),
        };
        Ok(OsString::from(format!("--{key}={text}")))
    };
    match (takes_none, value) {
        (true, toml::Value::Boolean(true)) => Ok(vec![OsString::from(format!("--{key}"))]),
        (true, toml::Value::Boolean(false)) => Ok(Vec::new()),
        (true, _) => bail!("{key} must be true or false"),
        (false, toml::Value::Array(values)) if matches!(flag.get_action(), ArgAction::Append) => {
            values.iter().map(one).collect()
        }
        (false, value) => Ok(vec![one(value)?]),
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

    fn serve(config: &Config) -> &super::super::Serve {
        match &config.command {
            Some(super::super::Command::Serve(serve)) => serve,
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
        assert_eq!(serve.limits.rate_limit, 9, "a flag stands");
        assert_eq!(serve.limits.trusted_proxy.len(), 2);
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

//! The settings file: TOML whose keys are the names of the flags.
//!
//! Flags and the environment override the file. Its other values become arguments of the command line, so that one code
//! parses values from everywhere.

use super::settings::{Command as Task, Config, command, command_for_users, parse_switch};
use anyhow::{Context, Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use econoscope_core::model::words::nearest_name;
use std::ffi::OsString;

/// Flags that are not settings.
const NOT_SETTINGS: [&str; 3] = ["config", "help", "version"];

/// Loads the settings from the command line, the environment and the file that one of them names.
///
/// # Errors
/// When the file cannot be read, or has an unknown key or an invalid value.
pub(crate) fn load(arguments: Vec<OsString>) -> Result<Config> {
    let config = parse(arguments)?;
    super::check::check(&config)?;
    if let Some(key) = &config.sources.fred_key {
        key.check()
            .context("--fred-key, ECONOSCOPE_FRED_KEY or fred-key in the settings file")?;
    }
    if let Some(Task::Serve(serve)) = &config.command
        && let Some(address) = &serve.limits.shared
    {
        let checked = address.check().map_err(anyhow::Error::msg);
        checked.context("--limits, ECONOSCOPE_LIMITS or limits in the settings file")?;
    }
    Ok(config)
}

/// Checks that no setting of the command line or the environment is a placeholder.
fn check_filled_in(arguments: &[OsString]) -> Result<()> {
    let has_placeholder = |text: &OsString| text.to_string_lossy().contains("${");
    let mut texts = std::env::vars_os().map(|(_, value)| value);
    if !arguments.iter().any(has_placeholder) && !texts.any(|value| has_placeholder(&value)) {
        return Ok(());
    }
    let command = command();
    for (key, flag, _) in settings(&command) {
        let name = format!("--{key}");
        let after = arguments.iter().zip(arguments.iter().skip(1));
        let separate = after
            .filter(|(flag, _)| **flag == *name)
            .map(|(_, value)| value.clone());
        let start = format!("{name}=");
        let joined = arguments
            .iter()
            .filter_map(|word| word.to_str()?.strip_prefix(&start));
        let from_env = flag.get_env().and_then(std::env::var_os);
        for value in separate.chain(joined.map(OsString::from)).chain(from_env) {
            check_placeholder(&name, &value.to_string_lossy())?;
        }
    }
    Ok(())
}

/// Fails for a text with `${…}`, which a host or a shell should have replaced.
fn check_placeholder(name: &str, text: &str) -> Result<()> {
    let after = text
        .split_once("${")
        .and_then(|(_, after)| after.split_once('}'));
    if let Some((variable, _)) = after {
        let quoted = econoscope_core::error::quote(variable);
        bail!("{name}: ${{{quoted}}} was not filled in by what started the program");
    }
    Ok(())
}

fn parse(arguments: Vec<OsString>) -> Result<Config> {
    check_filled_in(&arguments)?;
    let matches = command_for_users()
        .try_get_matches_from(&arguments)
        .unwrap_or_else(|e| e.exit());
    let mut first = Config::from_arg_matches(&matches).unwrap_or_else(|e| e.exit());
    first.given = given_flags(&matches)?;
    let Some(file) = first.config.as_deref() else {
        return Ok(first);
    };
    let path = econoscope_data::disk::format_path(file);
    let text = econoscope_data::disk::read_text(file)
        .with_context(|| format!("cannot read the settings file {path}"))?;
    let matches = add_file(arguments, &matches, &text).and_then(|arguments| {
        let matches = command().try_get_matches_from(arguments);
        matches.map_err(|error| anyhow::anyhow!(describe(&error)))
    });
    let config = Config::from_arg_matches(&matches.context(path)?)?;
    Ok(Config {
        given: first.given,
        ..config
    })
}

/// Returns the general flags of a command line and the environment, with absolute paths. Keys of the environment are left
/// out, since a file would show them.
fn given_flags(matches: &ArgMatches) -> Result<Vec<OsString>> {
    use ValueSource::{CommandLine, EnvVariable};
    let command = command();
    let mut given = Vec::new();
    for flag in command.get_arguments() {
        let id = flag.get_id().as_str();
        let (Some(name), Some(source)) = (flag.get_long(), matches.value_source(id)) else {
            continue;
        };
        let kind = flag.get_value_names().and_then(|names| names.first());
        let kind = kind.map_or("", |kind| kind.as_str());
        let is_kept = source == CommandLine || source == EnvVariable && !kind.ends_with("KEY");
        if !is_kept || ["help", "version"].contains(&name) {
            continue;
        }
        let word = OsString::from(format!("--{name}"));
        if matches!(flag.get_action(), ArgAction::SetTrue) {
            given.extend(matches.get_flag(id).then_some(word));
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            let is_path = matches!(kind, "FILE" | "DIR") && value != "none";
            let is_address = value.to_str().is_some_and(|text| text.contains("://"));
            let value = if is_path && !is_address {
                std::path::absolute(value)?.into_os_string()
            } else {
                value.to_owned()
            };
            given.extend([word.clone(), value]);
        }
    }
    Ok(given)
}

/// Returns whether settings ask for a log in JSON, as far as they can be parsed, to log an error in them.
pub(crate) fn should_log_json(arguments: &[OsString]) -> bool {
    let command = command().ignore_errors(true);
    let Ok(matches) = command.try_get_matches_from(arguments) else {
        return false;
    };
    let from_file = || {
        let file = matches.get_one::<std::path::PathBuf>("config")?;
        let text = econoscope_data::disk::read_text(file).ok()?;
        let table: toml::Table = toml::from_str(&text).ok()?;
        table.get("log-json")?.as_bool()
    };
    matches.get_flag("log_json") || from_file().unwrap_or(false)
}

/// Describes an invalid value, without advice on the command line.
fn describe(error: &clap::Error) -> String {
    let text = error.to_string();
    let problem = text.split("\n\n").next().unwrap_or_default();
    let setting = problem.trim_start_matches("error: ").replace("'--", "'");
    econoscope_data::disk::escape_controls(&setting)
}

/// Adds the settings of the file to a command line: general ones before the command, those of `serve` behind it.
fn add_file(
    mut arguments: Vec<OsString>,
    matches: &ArgMatches,
    text: &str,
) -> Result<Vec<OsString>> {
    let table: toml::Table = toml::from_str(text).map_err(|e| {
        // The full error text shows the line, which may hold a secret key.
        let before = e.span().and_then(|span| text.get(..span.start));
        let line = before.unwrap_or_default().matches('\n').count() + 1;
        anyhow::anyhow!("invalid TOML, line {line}: {}", e.message())
    })?;
    let command = command();
    let mut general = Vec::new();
    let mut for_serve = Vec::new();
    for (key, value) in &table {
        let setting = settings(&command).find(|(name, ..)| *name == key);
        let Some((_, flag, is_general)) = setting else {
            if let toml::Value::Table(group) = value {
                let first = group.keys().next().map_or("listen", String::as_str);
                bail!(
                    "settings have no groups; remove the line [{key}], so that {first} is at the top level"
                );
            }
            let keys = settings(&command).map(|(key, ..)| key);
            let hint = match nearest_name(keys, &key.replace('_', "-")) {
                Some(nearest) => format!("Did you mean {nearest}?"),
                None => "docs/CONFIGURATION.md lists all settings.".into(),
            };
            bail!("unknown setting {key}. {hint}");
        };
        let (matches, added) = if is_general {
            (Some(matches), &mut general)
        } else {
            (matches.subcommand_matches("serve"), &mut for_serve)
        };
        let Some(matches) = matches else { continue };
        use ValueSource::{CommandLine, EnvVariable};
        let source = matches.value_source(flag.get_id().as_str());
        if !matches!(source, Some(CommandLine | EnvVariable)) {
            added.extend(to_arguments(flag, key, value)?);
        }
    }
    arguments.extend(for_serve);
    let program = usize::from(!arguments.is_empty());
    arguments.splice(program..program, general);
    Ok(arguments)
}

/// Returns the keys of a file with their flags, and whether a flag is general or of `serve`.
fn settings(command: &Command) -> impl Iterator<Item = (&str, &Arg, bool)> {
    let serve = command.find_subcommand("serve");
    let serve_flags = serve.into_iter().flat_map(Command::get_arguments);
    let general = command.get_arguments().map(|arg| (arg, true));
    let flags = general.chain(serve_flags.map(|arg| (arg, false)));
    flags.filter_map(|(arg, is_general)| {
        let key = arg.get_long().filter(|key| !NOT_SETTINGS.contains(key))?;
        Some((key, arg, is_general))
    })
}

/// Converts a value to arguments of the command line.
fn to_arguments(flag: &Arg, key: &str, value: &toml::Value) -> Result<Vec<OsString>> {
    let to_text = |value: &toml::Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let argument = |value: &toml::Value| {
        if !value.is_str() && !value.is_integer() {
            bail!("{key} must be a text or a whole number");
        }
        let text = to_text(value);
        check_placeholder(key, &text)?;
        Ok(OsString::from(format!("--{key}={text}")))
    };
    match (flag.get_action(), value) {
        // An empty text is no value, as in the environment.
        (_, toml::Value::String(text)) if text.is_empty() => Ok(Vec::new()),
        (ArgAction::SetTrue, _) => match parse_switch(&to_text(value)) {
            Some(true) => Ok(vec![format!("--{key}").into()]),
            Some(false) => Ok(Vec::new()),
            None => bail!("{key} must be true or false"),
        },
        (ArgAction::Append, toml::Value::Array(values)) => values.iter().map(argument).collect(),
        (_, value) => Ok(vec![argument(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_with(text: &str, line: &[&str]) -> Result<Config> {
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
    fn flags_override_the_file() {
        let text = "service-name = \"Macro\"\nlisten = \"127.0.0.1:9\"\nno-sync = true\nrate-limit = 7\n\
            trusted-proxy = [\"10.0.0.0/8\", \"192.0.2.1\"]\nlog-json = false\n";
        let config = load_with(text, &["serve", "--rate-limit", "9"]).unwrap();
        assert_eq!(config.service_name, "Macro");
        let serve = serve(&config);
        assert_eq!(serve.listen.port(), 9);
        assert!(config.no_sync && !config.log_json);
        assert_eq!(serve.limits.general, 9, "the flag overrides");
        assert_eq!(serve.limits.trusted_proxies.len(), 2);
        let other = load_with(text, &["call", "get_regime"]).unwrap();
        assert_eq!(
            other.service_name, "Macro",
            "settings of serve do not disturb other commands"
        );
    }

    #[test]
    fn every_general_flag_is_given_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("empty.toml");
        std::fs::write(&file, "").unwrap();
        for (name, flag, is_general) in
            settings(&command()).chain([("config", &Arg::new("config"), true)])
        {
            if !is_general {
                continue;
            }
            let of_command = command();
            let flag = of_command
                .get_arguments()
                .find(|arg| arg.get_long() == Some(name))
                .unwrap_or(flag);
            let value = match flag
                .get_value_names()
                .and_then(|names| names.first())
                .map(|name| name.as_str())
            {
                None => None,
                Some("FILE") => Some(file.to_str().unwrap()),
                Some("DIR") => Some("/tmp"),
                Some("URL") => Some("http://127.0.0.1:9/"),
                Some("N" | "SECONDS" | "HOURS") => Some("7"),
                Some("FILTER") => Some("info"),
                Some("DAY") => Some("2020-01-01"),
                Some("WHEN") => Some("off"),
                Some("NAME=KEY") => Some("eia=abc"),
                Some("NAME=URL") => Some("treasury=http://127.0.0.1:9/"),
                Some(_) => Some("X_"),
            };
            let is_switch = matches!(flag.get_action(), ArgAction::SetTrue);
            let mut words = match name {
                "strict" => vec!["--as-of".into(), "2020-01-01".into()],
                _ => Vec::new(),
            };
            words.push(OsString::from(format!("--{name}")));
            words.extend(value.filter(|_| !is_switch).map(OsString::from));
            let line = [
                &["econoscope".into()],
                &*words,
                &["install".into(), "cursor".into()],
            ]
            .concat();
            let config = parse(line).unwrap();
            assert_eq!(config.given, words, "install forgets --{name}");
        }
    }

    #[test]
    fn empty_settings_are_absent_and_switches_take_words() {
        let text = "fred-key = \"\"\nstore = \"\"\nno-sync = \"On\"\nno-fred = 0\nlisten = \"\"\n";
        let config = load_with(text, &["serve"]).unwrap();
        assert!(config.store.is_none() && config.sources.fred_key.is_none());
        assert!(config.no_sync && !config.sources.no_fred);
        let error = load_with("store = \"${user_config.store}\"", &["serve"]).unwrap_err();
        assert!(format!("{error:#}").contains("store: ${user_config.store} was not filled in"));
    }

    #[test]
    fn error_names_the_unknown_key_or_invalid_value() {
        let error = |text: &str| format!("{:#}", load_with(text, &["serve"]).unwrap_err());
        assert!(error("rate_limit = 7").contains("rate_limit. Did you mean rate-limit?"));
        assert!(error("config = \"x\"").contains("unknown setting config"));
        assert!(error("webhook = []").contains("unknown setting webhook."));
        assert!(error("no-sync = 2").contains("no-sync must be true or false"));
        assert!(error("listen = \"nowhere\"").contains("nowhere"));
        assert!(error("listen = ").contains("TOML"));
        assert!(error("base-url = [\"a\"]").contains("base-url must be a text"));
    }
}

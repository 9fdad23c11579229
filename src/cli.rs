//! The command line: what each command does and prints. Protocol and answers go to stdout, all else to stderr.

mod call;
mod demo;
pub(crate) mod doctor;
mod health;
mod install;
mod log;
mod print;
mod shared;

use crate::app;
use crate::config::{self, Command, Config};
use crate::generate;
use anyhow::{Context, Result, bail};
use econoscope_data::ingest::{self, Progress};
use econoscope_data::store::Store;
use print::{complain, print, tell, warn};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Exit code of a mistake in the command line, the settings or a tool's arguments; 1 is whatever else stopped it.
const USAGE: u8 = 2;

/// Parses the command line, runs it, prints the chain of an error, and returns the exit code.
///
/// It lives here, so that the program is a few lines around a library that is compiled once.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let started = config::load(arguments.clone()).and_then(|config| {
        log::to_stderr(&config.log, config.log_json)?;
        Ok(config)
    });
    let config = match started {
        Ok(config) => config,
        Err(error) => {
            // The usual filter is one.
            let is_json = config::wants_json(&arguments);
            log::to_stderr(config::DEFAULT_LOG, is_json).unwrap_or_default();
            complain(&econoscope_core::error::causes(error.chain()));
            return ExitCode::from(USAGE);
        }
    };
    run(config).unwrap_or_else(|error| {
        complain(&econoscope_core::error::causes(error.chain()));
        let is_usage = error
            .chain()
            .filter_map(|cause| cause.downcast_ref())
            .any(|cause| matches!(cause, econoscope_core::Error::InvalidParam { .. }));
        ExitCode::from(if is_usage { USAGE } else { 1 })
    })
}

/// Runs what was asked for.
///
/// # Errors
/// Whatever stopped it.
fn run(config: Config) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting the runtime")?;
    let code = runtime.block_on(dispatch(&config))?;
    // A blocked reader of stdin must not hold up the exit.
    runtime.shutdown_background();
    Ok(code)
}

async fn dispatch(config: &Config) -> Result<ExitCode> {
    // A person would wait for an answer as the protocol waits for a message.
    if config.command.is_none() && std::io::stdin().is_terminal() {
        print(demo::WELCOME)?;
        return Ok(ExitCode::SUCCESS);
    }
    match config.command.as_ref().unwrap_or(&Command::Stdio) {
        // Those that can end without an error and not go well.
        Command::Call(asked) => return call::call(config, asked).await,
        Command::Import(asked) => return import(config, asked),
        Command::Sync(sync) => return sync_command(config, sync).await,
        Command::Doctor(asked) => return doctor::doctor(config, asked).await,
        Command::Stdio => app::stdio(config).await,
        Command::Serve(serve) => app::serve(config, serve).await,
        Command::Migrate => shared::migrate(config),
        Command::Copy(asked) => shared::copy(&asked.from, &asked.to),
        Command::Backup { to } => doctor::backup(config, to),
        Command::Demo => demo::demo(config).await,
        Command::Install(asked) => install::install(config, asked),
        Command::Uninstall(asked) => install::uninstall(asked),
        Command::Health(asked) => health::health(asked).await,
        Command::Completions { shell } => completions(*shell),
        Command::Manual { folder } => manual(folder),
        Command::Generate { check, root } => generate(*check, root),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn import(config: &Config, asked: &config::Import) -> Result<ExitCode> {
    let store = app::open_kept(config, asked.bare)?;
    let desk = app::desk_over(store, config, None, true)?;
    // A line per file would bury the result in a log; a bar does not.
    let mut progress = Progress::detect(!std::io::stderr().is_terminal());
    let provenance = ingest::Provenance {
        origin: &asked.origin,
        read_at: asked.read_at.unwrap_or_else(|| desk.now()),
        replace: asked.replace,
    };
    let store = desk.store().as_ref();
    let report = ingest::import_from(store, &asked.folder, provenance, &mut progress)?;
    econoscope_data::desk::refresh(&desk)?;
    tell(&format!(
        "{} files, {} series, {} rows read: {} new, {} revised",
        report.files, report.series, report.rows, report.written.added, report.written.revised
    ));
    if !report.strangers.is_empty() {
        let strangers: Vec<&str> = report.strangers.iter().map(|id| id.as_str()).collect();
        warn(&format!(
            "not in the catalogue, and no file names them: {}. They can be asked for by these identifiers, without a \
             name or unit; a file with series_id,title,frequency,units gives them one",
            listed(&strangers)
        ));
    }
    for doubt in &report.doubts {
        warn(doubt);
    }
    for error in &report.errors {
        complain(&error.for_operator());
    }
    Ok(u8::from(!report.errors.is_empty()).into())
}

async fn sync_command(config: &Config, sync: &config::Sync) -> Result<ExitCode> {
    let turn = shared::turn(config)?;
    let store: Arc<dyn Store> = match &turn {
        Some(turn) => Arc::new(turn.store()),
        None => app::open_kept(config, false)?,
    };
    let desk = app::desk_over(store, config, None, true)?;
    let report = app::sync_once(&desk, config, sync, &app::stop_on_signal()).await?;
    if sync.plan {
        print(&report.plan.join("\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (id, error) in report.failures() {
        let ids = reasons.entry(error.for_operator()).or_default();
        ids.push(id.as_str());
    }
    for (reason, ids) in reasons {
        complain(&format!("{reason} ({})", listed(&ids)));
    }
    if !sync.quiet {
        tell(&format!(
            "{} series read, {} not",
            report.read(),
            report.missed()
        ));
    }
    Ok(u8::from(!report.is_complete()).into())
}

/// The first few of a list, and how many more there are.
fn listed(names: &[&str]) -> String {
    let (first, rest) = names.split_at(names.len().min(10));
    let more = match rest.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    first.join(", ") + &more
}

fn generate(check: bool, root: &Path) -> Result<()> {
    use config::reference::{PATH, page};
    let reference = root.join(PATH);
    if check {
        generate::check(root)?;
        if std::fs::read_to_string(&reference).ok() != Some(page()) {
            bail!("{PATH} is old; run `econoscope generate`");
        }
        tell("every generated file is what the table says");
        return Ok(());
    }
    std::fs::write(&reference, page())
        .with_context(|| format!("writing {}", econoscope_data::disk::shown(&reference)))?;
    for path in generate::write(root)? {
        tell(&format!("wrote {}", econoscope_data::disk::shown(&path)));
    }
    Ok(())
}

/// Prints what completes the command line in a shell.
fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut config::command(), "econoscope", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes one manual page for the program and one for every command into a folder.
fn manual(folder: &Path) -> Result<()> {
    let shown = econoscope_data::disk::shown(folder);
    std::fs::create_dir_all(folder).with_context(|| format!("making {shown}"))?;
    clap_mangen::generate_to(config::command(), folder)
        .with_context(|| format!("writing manual pages into {shown}"))
}

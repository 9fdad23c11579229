//! The commands of the program. Protocol and answers go to stdout, messages and the log to stderr.

mod call;
mod demo;
pub(crate) mod doctor;
mod export;
mod health;
mod install;
mod output;
mod stores;

use crate::app;
use crate::config::{self, Command, Config};
use crate::generate;
use anyhow::{Context, Result, bail};
use econoscope_data::disk;
use econoscope_data::ingest::{self, Progress};
use econoscope_data::sqlite::with_suffix;
use econoscope_data::store::{Sqlite, Store};
use econoscope_desk::Audience;
use output::{init_log, print, report, report_error, report_warning};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Exit code for a mistake in the command line, the settings or a tool's arguments. Other failures exit with 1.
const EXIT_USAGE: u8 = 2;

/// Parses the command line, runs the command, reports its error and returns the exit code.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let config = config::load(arguments.clone()).and_then(|config| {
        init_log(&config.log, config.log_json)?;
        Ok(config)
    });
    let config = match config {
        Ok(config) => config,
        Err(error) => {
            // The default filter is valid.
            let is_json = config::should_log_json(&arguments);
            init_log(config::DEFAULT_LOG, is_json).unwrap_or_default();
            report_error(&econoscope_core::error::format_causes(error.chain()));
            return ExitCode::from(EXIT_USAGE);
        }
    };
    run(config).unwrap_or_else(|error| {
        report_error(&econoscope_core::error::format_causes(error.chain()));
        let is_usage = error
            .chain()
            .filter_map(|cause| cause.downcast_ref())
            .any(|cause| matches!(cause, econoscope_core::Error::InvalidParam { .. }));
        ExitCode::from(if is_usage { EXIT_USAGE } else { 1 })
    })
}

fn run(config: Config) -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting the runtime")?;
    let code = runtime.block_on(dispatch(&config))?;
    // A blocked read of stdin must not delay the exit.
    runtime.shutdown_background();
    Ok(code)
}

async fn dispatch(config: &Config) -> Result<ExitCode> {
    // On a terminal, stdio would wait for a message without a word.
    if config.command.is_none() && std::io::stdin().is_terminal() {
        print(demo::WELCOME)?;
        return Ok(ExitCode::SUCCESS);
    }
    match config.command.as_ref().unwrap_or(&Command::Stdio) {
        // These return an exit code: they can fail in part.
        Command::Call(options) => return call::call(config, options).await,
        Command::Import(options) => return import(config, options),
        Command::Sync(options) => return sync(config, options).await,
        Command::Doctor(options) => return doctor::doctor(config, options).await,
        Command::Stdio => app::stdio(config).await,
        Command::Serve(options) => app::serve(config, options).await,
        Command::Migrate => stores::migrate(config),
        Command::Copy(options) => stores::copy(&options.from, &options.to),
        Command::Backup { to } => stores::backup(config, to),
        Command::Export(options) => export::export(config, options),
        Command::Demo => demo::demo(config).await,
        Command::Install(options) => install::install(config, options),
        Command::Uninstall(options) => install::uninstall(options),
        Command::Health(options) => health::health(options).await,
        Command::Completions { shell } => completions(*shell),
        Command::Manual { folder } => manual(folder),
        Command::Generate { check, root } => generate(*check, root),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Ends the name of the store's copy from before the last import.
const BEFORE_IMPORT: &str = ".before-import";
/// Name of the copy's note with the version of the store after the import.
const AFTER_IMPORT: &str = "after_import";

/// Puts the store from before the last import in place of the present one.
fn undo_import(config: &Config) -> Result<ExitCode> {
    if config.database()?.is_some() {
        bail!("an import into a shared database is taken back by its own backup");
    }
    let file = config.local_file();
    let before = with_suffix(&file, BEFORE_IMPORT);
    let version = Sqlite::open_existing(&file)?.current_version()?.to_string();
    let is_last =
        before.exists() && Sqlite::open_existing(&before)?.note(AFTER_IMPORT)? == Some(version);
    if !is_last {
        bail!("there is no import to take back, or something was written since");
    }
    std::fs::rename(&before, &file)?;
    report("took back the last import");
    Ok(ExitCode::SUCCESS)
}

fn import(config: &Config, options: &config::Import) -> Result<ExitCode> {
    let Some(folder) = &options.folder else {
        return undo_import(config);
    };
    let store = app::open_store(config, options.bare)?;
    let desk = app::open_desk(store, config, None, Audience::Own)?;
    // Without a terminal a line per file would bury the result in a log.
    let mut progress = Progress::detect(!std::io::stderr().is_terminal());
    let provenance = ingest::Provenance {
        origin: &options.origin,
        read_at: options.read_at.unwrap_or_else(|| desk.now()),
        replace: options.replace,
    };
    let store = desk.store().as_ref();
    let before = with_suffix(&config.local_file(), BEFORE_IMPORT);
    let is_file = config.database()?.is_none();
    if is_file {
        std::fs::remove_file(&before).ok();
        Sqlite::open_existing(&config.local_file())?.backup(&before)?;
    }
    let imported = ingest::import_from(store, folder, provenance, &mut progress)?;
    econoscope_desk::refresh(&desk)?;
    if is_file {
        let version = store.current_version()?.to_string();
        Sqlite::open_existing(&before)?.set_note(AFTER_IMPORT, &version)?;
    }
    let files = imported.files;
    let series = imported.series;
    let rows = imported.rows;
    let added = imported.written.added;
    let revised = imported.written.revised;
    report(&format!(
        "{files} files, {series} series, {rows} rows read: {added} new, {revised} revised"
    ));
    if !imported.untitled.is_empty() {
        let unnamed: Vec<_> = imported.untitled.iter().map(|id| id.as_str()).collect();
        report_warning(&format!(
            "not in the catalogue, and without a title in the files: {}. They are available by these identifiers, without a \
             name or unit; a file with series_id,title,frequency,units adds them",
            format_list(&unnamed)
        ));
    }
    for doubt in &imported.warnings {
        report_warning(doubt);
    }
    for error in &imported.errors {
        report_error(&error.operator_message());
    }
    Ok(u8::from(!imported.errors.is_empty()).into())
}

async fn sync(config: &Config, options: &config::Sync) -> Result<ExitCode> {
    let stop = app::stop_on_signal();
    let lease = stores::acquire_lease(config)?;
    let store: Arc<dyn Store> = match &lease {
        Some(lease) => Arc::new(lease.store()),
        None => app::open_store(config, false)?,
    };
    let desk = app::open_desk(store, config, None, Audience::Own)?;
    let syncing = (!options.plan).then(|| stores::take_sync_lease(desk.store(), &stop));
    let lease_on_file = syncing.transpose()?;
    let synced = app::sync_once(&desk, config, options, &Arc::default(), &stop).await?;
    drop(lease_on_file);
    if options.plan {
        print(&synced.plan.join("\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut ids_by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (id, error) in synced.failures() {
        let ids = ids_by_reason.entry(error.operator_message()).or_default();
        ids.push(id.as_str());
    }
    for (reason, ids) in ids_by_reason {
        report_error(&format!("{reason} ({})", format_list(&ids)));
    }
    if !options.quiet {
        report(&synced.summary());
    }
    Ok(u8::from(!synced.is_complete()).into())
}

/// Lists the first ten names, and the number of others.
fn format_list(names: &[&str]) -> String {
    let (first, rest) = names.split_at(names.len().min(10));
    let list = first.join(", ");
    match rest.len() {
        0 => list,
        more => format!("{list} and {more} more"),
    }
}

/// Writes the generated files, or checks them.
fn generate(check: bool, root: &Path) -> Result<()> {
    if check {
        generate::check(root)?;
        report("every generated file is up to date");
        return Ok(());
    }
    for path in generate::write(root)? {
        report(&format!("wrote {}", disk::format_path(&path)));
    }
    Ok(())
}

/// Prints the completion script for a shell.
fn completions(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut config::command(), "econoscope", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes a manual page for the program and one for every command into a folder.
fn manual(folder: &Path) -> Result<()> {
    let name = disk::format_path(folder);
    std::fs::create_dir_all(folder).with_context(|| format!("creating {name}"))?;
    clap_mangen::generate_to(config::command(), folder)
        .with_context(|| format!("writing manual pages into {name}"))
}

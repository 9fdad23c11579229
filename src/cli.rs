//! The command line: what each command does and prints. Protocol and answers go to stdout, all else to stderr.

pub(crate) mod doctor;

use crate::config::{self, Call, Command, Config};
use crate::endpoints::{Arguments, ENDPOINTS, Route};
use crate::generate;
use crate::ingest::{self, Renderer, Show};
use crate::{app, live};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Parses the command line, runs it, prints the chain of an error, and returns the exit code.
///
/// It lives here, so that the program is a few lines around a library that is compiled once.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    match config::load(arguments).and_then(run) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("econoscope: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what was asked for.
///
/// # Errors
/// Whatever stopped it.
fn run(config: Config) -> Result<ExitCode> {
    log_to_stderr(&config)?;
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
    match config.command.as_ref().unwrap_or(&Command::Stdio) {
        Command::Stdio => app::stdio(config).await.map(|()| ExitCode::SUCCESS),
        Command::Serve(serve) => app::serve(config, serve).await.map(|()| ExitCode::SUCCESS),
        Command::Call(call) => call_tool(config, call).await,
        Command::Import { folder } => import(config, folder),
        Command::Sync(sync) => sync_command(config, sync).await,
        Command::Doctor(asked) => doctor::doctor(config, asked).await,
        Command::Backup { to } => doctor::backup(config, to),
        Command::Generate { check, root } => generate(*check, root),
    }
}

fn log_to_stderr(config: &Config) -> Result<()> {
    let filter = &config.log;
    let filter = tracing_subscriber::EnvFilter::try_new(format!("{filter},rmcp=error"))
        .with_context(|| format!("--log {filter} is not a filter; try warn, info or debug"))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    if config.log_json {
        log.json()
            .flatten_event(true)
            .with_current_span(true)
            .with_span_list(false)
            .init();
    } else {
        log.init();
    }
    Ok(())
}

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| {
            if text.ends_with('\n') {
                Ok(())
            } else {
                out.write_all(b"\n")
            }
        })
        .context("writing to stdout")
}

async fn call_tool(config: &Config, call: &Call) -> Result<ExitCode> {
    let Some(route) = Route::find(&call.tool) else {
        let names: Vec<&str> = ENDPOINTS.iter().map(|r| r.spec.tool).collect();
        bail!(
            "no tool is called {}; there are {}",
            call.tool,
            names.join(", ")
        );
    };
    let mut arguments = Arguments::new();
    for pair in &call.arguments {
        let Some((name, value)) = pair.split_once('=') else {
            bail!(
                "{pair} is not of the form name=value, for example {}",
                example(route)
            );
        };
        arguments.insert(name.to_owned(), serde_json::Value::from(value));
    }
    let backend = app::backend(config, app::LOCAL_BASE.into(), true)?;
    match route.call(&backend, arguments).await {
        Ok(answer) if call.text => print(&answer.text)?,
        Ok(answer) => {
            let bytes = answer.csv.as_ref().map_or(&answer.json, |csv| &csv.body);
            print(&String::from_utf8_lossy(bytes))?;
        }
        Err(error) => {
            eprintln!("econoscope: {error}");
            let usage = matches!(error, crate::Error::InvalidParam { .. });
            return Ok(ExitCode::from(if usage { 2 } else { 1 }));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn example(route: &Route) -> String {
    let pairs: Vec<String> = route
        .spec
        .example
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    if pairs.is_empty() {
        "as_of=2020-03-01".into()
    } else {
        pairs.join(" ")
    }
}

fn import(config: &Config, folder: &Path) -> Result<ExitCode> {
    let desk = app::desk(config, app::LOCAL_BASE.into(), true)?;
    // A line per file would bury the result in a log; a bar does not.
    let mut renderer = Renderer::new(if std::io::stderr().is_terminal() {
        Show::Bar
    } else {
        Show::Quiet
    });
    let report = ingest::import(desk.store().as_ref(), folder, &mut |event| {
        renderer.on(&event)
    })?;
    crate::desk::refresh(&desk)?;
    let written = report.written();
    eprintln!(
        "{} files, {} series, {} rows read: {} new, {} revised",
        report.files,
        report.series.len(),
        report.rows(),
        written.added,
        written.revised
    );
    for error in &report.errors {
        eprintln!("econoscope: {error}");
    }
    Ok(if report.errors.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn sync_command(config: &Config, sync: &config::Sync) -> Result<ExitCode> {
    let desk = app::desk(config, app::LOCAL_BASE.into(), true)?;
    let report = live::sync_once(&desk, config, sync, &app::stop_on_signal()).await?;
    let failed: Vec<String> = report
        .failures()
        .map(|(id, error)| format!("{id}: {error}"))
        .collect();
    for line in &failed {
        eprintln!("econoscope: {line}");
    }
    if !sync.quiet {
        eprintln!("{} series read, {} not", report.read(), report.missed());
    }
    Ok(if report.is_complete() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn generate(check: bool, root: &Path) -> Result<ExitCode> {
    let reference = root.join(config::reference::PATH);
    if check {
        generate::check(root)?;
        if std::fs::read_to_string(&reference).ok().as_deref() != Some(&config::reference::page()) {
            bail!(
                "{} is old; run `econoscope generate`",
                config::reference::PATH
            );
        }
        eprintln!("every generated file is what the table says");
        return Ok(ExitCode::SUCCESS);
    }
    std::fs::write(&reference, config::reference::page())
        .with_context(|| format!("writing {}", reference.display()))?;
    for path in generate::write(root)? {
        eprintln!("wrote {}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

//! `econoscope doctor`: what is well, what is not, and what to do about it; and copies of the store.

use super::print;
use crate::app;
use crate::config::{Config, Doctor, default_store};
use crate::desk::Desk;
use crate::live::source_settings;
use crate::store::{Sqlite, Status, Store};
use anyhow::Result;
use jiff::{SignedDuration, Timestamp};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// A sync within this time counts as current.
const CURRENT: SignedDuration = SignedDuration::from_hours(48);
/// A source that takes longer to be reached is told as not reachable.
const PATIENCE: Duration = Duration::from_secs(5);
/// No clock is right that shows a time before this program was written.
const WRITTEN: &str = "2026-11-01T00:00:00Z";

/// What was found, line by line.
#[derive(Default)]
struct Findings {
    text: String,
    faults: usize,
}

impl Findings {
    fn ok(&mut self, what: &str, found: &str) {
        let _ = writeln!(self.text, "ok    {what}: {found}");
    }

    fn note(&mut self, what: &str, found: &str, advice: &str) {
        let _ = writeln!(self.text, "note  {what}: {found}\n      {advice}");
    }

    fn fault(&mut self, what: &str, found: &str, advice: &str) {
        self.faults += 1;
        let _ = writeln!(self.text, "FAULT {what}: {found}\n      {advice}");
    }
}

/// Runs every check and prints what it found; the exit code is 1 when something is broken.
pub(super) async fn doctor(config: &Config, doctor: &Doctor) -> Result<ExitCode> {
    let mut findings = Findings::default();
    configuration(&mut findings, config);
    let path = config.store.clone().unwrap_or_else(default_store);
    match store(&mut findings, &path, doctor.quarantine) {
        Some(store) => {
            let held = store.status().unwrap_or_default();
            data(&mut findings, &store, &held);
            clock(&mut findings, &held);
        }
        None => clock(&mut findings, &[]),
    }
    if doctor.offline {
        findings.note(
            "sources",
            "not asked (--offline)",
            "Leave --offline out to try them.",
        );
    } else {
        sources(&mut findings, config).await?;
    }
    print(&findings.text)?;
    Ok(if findings.faults == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn configuration(findings: &mut Findings, config: &Config) {
    match &config.config {
        Some(file) => findings.ok("configuration", &format!("read, with {}", file.display())),
        None => findings.ok(
            "configuration",
            "flags, environment and defaults; no settings file",
        ),
    }
    match config.base_url.as_deref().map(url::Url::parse) {
        None => findings.note(
            "base address",
            "not set; links in answers name the listening address",
            "For a public service give --base-url https://your.host.",
        ),
        Some(Ok(url)) if url.scheme() == "https" || url.host_str() == Some("localhost") => {
            findings.ok("base address", url.as_str());
        }
        Some(Ok(url)) => findings.note(
            "base address",
            &format!("{url} is not https"),
            "Browsers and hosts want https; put a reverse proxy with a certificate in front.",
        ),
        Some(Err(error)) => findings.fault(
            "base address",
            &error.to_string(),
            "Give --base-url a whole address: https://your.host.",
        ),
    }
    if config.sources.fred_key.is_none() {
        findings.note(
            "FRED key",
            "none; the public CSV download is used, without past vintages",
            "A free key comes from fredaccount.stlouisfed.org/apikeys; set ECONOSCOPE_FRED_KEY.",
        );
    } else {
        findings.ok("FRED key", "set");
    }
}

fn store(findings: &mut Findings, path: &Path, quarantine: bool) -> Option<Sqlite> {
    let shown = path.display();
    if !path.exists() {
        findings.note(
            "store",
            &format!("there is none at {shown}; the bundled history answers"),
            "Run `econoscope sync`, or `econoscope serve`, which syncs by itself.",
        );
        return None;
    }
    let opened = Sqlite::open_existing(path).and_then(|store| {
        let damages = store.integrity()?;
        Ok((store, damages))
    });
    match opened {
        Ok((store, damages)) if damages.is_empty() => {
            let bytes = std::fs::metadata(path).map_or(0, |m| m.len());
            findings.ok(
                "store",
                &format!("{shown}, {} KiB, every row verified", bytes / 1_024),
            );
            return Some(store);
        }
        Ok((store, damages)) => {
            for damage in damages.iter().take(10) {
                findings.fault("store", &damage.what, "");
            }
            drop(store);
            aside(findings, path, quarantine);
        }
        Err(error) => {
            findings.fault("store", &error.to_string(), "");
            if Sqlite::is_damage(&error) {
                aside(findings, path, quarantine);
            }
        }
    }
    None
}

/// Moves a broken store out of the way when asked to; it is never deleted.
fn aside(findings: &mut Findings, path: &Path, quarantine: bool) {
    if !quarantine {
        findings.note(
            "way out",
            "the file was not touched",
            "Stop every econoscope and run `econoscope doctor --quarantine`, then restore a backup or sync again.",
        );
        return;
    }
    match Sqlite::quarantine(path) {
        Ok(aside) => findings.note(
            "store",
            &format!("moved to {}", aside.display()),
            "Restore a backup under the old name, or run `econoscope sync`.",
        ),
        Err(error) => findings.fault("store", &error.to_string(), "Move the file away by hand."),
    }
}

fn data(findings: &mut Findings, store: &Sqlite, held: &[Status]) {
    let last_sync = store
        .note(crate::desk::holdings::LAST_SYNC)
        .ok()
        .flatten()
        .and_then(|text| text.parse::<Timestamp>().ok());
    let newest = held.iter().map(|s| s.last).max();
    let shown = newest.map_or_else(|| "none".into(), |day| day.to_string());
    let series = format!("{} series, newest observation {shown}", held.len());
    match last_sync.map(|at| (at, Desk::system_clock()().duration_since(at))) {
        Some((at, age)) if age <= CURRENT => {
            findings.ok("data", &format!("{series}; synced {at}"));
        }
        Some((at, age)) => findings.note(
            "data",
            &format!("{series}; the last sync was {} h ago ({at})", age.as_hours()),
            "Run `econoscope sync`; `econoscope serve` does so every 6 hours unless --no-sync is given.",
        ),
        None => findings.note(
            "data",
            &format!("{series}; never synced from the sources"),
            "Run `econoscope sync` for live figures.",
        ),
    }
}

fn clock(findings: &mut Findings, held: &[Status]) {
    let now = Desk::system_clock()();
    let ahead = held.iter().filter(|s| s.fetched_at > now).count();
    let written: Timestamp = WRITTEN.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    let advice =
        "Set the system clock (timedatectl set-ntp true); ages and daily limits depend on it.";
    if now < written {
        findings.fault(
            "clock",
            &format!("{now} is before this program was written"),
            advice,
        );
    } else if ahead > 0 {
        let found = format!("{now}, but {ahead} series were read later than that");
        findings.fault("clock", &found, advice);
    } else {
        findings.ok("clock", &now.to_string());
    }
}

async fn sources(findings: &mut Findings, config: &Config) -> Result<()> {
    let settings = source_settings(&config.sources)?;
    for (name, url) in [
        ("source FRED", &settings.fred.download_url),
        ("source Federal Reserve Board", &settings.board.url),
    ] {
        let Some((host, port)) = url.host_str().zip(url.port_or_known_default()) else {
            findings.fault(
                name,
                &format!("{url} names no host"),
                "Correct the address.",
            );
            continue;
        };
        let tried = tokio::net::TcpStream::connect((host, port));
        let advice = "Check network, name server and firewall; what is stored is served meanwhile.";
        match tokio::time::timeout(PATIENCE, tried).await {
            Ok(Ok(_)) => findings.ok(name, &format!("{host}:{port} can be reached")),
            Ok(Err(error)) => findings.note(name, &format!("{host}:{port}: {error}"), advice),
            Err(_) => findings.note(name, &format!("{host}:{port} does not answer"), advice),
        }
    }
    Ok(())
}

/// Copies the store into a new, checked file; a folder gets a file with the time in its name.
pub(super) fn backup(config: &Config, to: &Path) -> Result<ExitCode> {
    let from = config.store.clone().unwrap_or_else(default_store);
    let to: PathBuf = if to.is_dir() {
        let now = app::stamp(Desk::system_clock()());
        to.join(format!("econoscope-{now}.db"))
    } else {
        to.to_owned()
    };
    Sqlite::open_existing(&from)?.backup(&to)?;
    eprintln!("wrote {} and verified every row", to.display());
    Ok(ExitCode::SUCCESS)
}

//! `econoscope doctor`: what is well, what is not, and what to do about it; and copies of the store.

use super::print::{print, printable, tell};
use super::shared;
use crate::app;
use crate::config::{Config, Doctor};
use anyhow::{Context, Result};
use econoscope_data::desk::Desk;
use econoscope_data::ingest;
use econoscope_data::store::{Sqlite, Status, Store};
use jiff::{SignedDuration, Timestamp};
use std::env::consts::{ARCH, OS};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
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
    is_faulty: bool,
}

impl Findings {
    fn ok(&mut self, what: &str, found: &str) {
        self.text += &format!("ok    {what}: {found}\n");
    }

    fn note(&mut self, what: &str, found: &str, advice: &str) {
        self.text += &format!("note  {what}: {found}\n      {advice}\n");
    }

    fn fault(&mut self, what: &str, found: &str, advice: &str) {
        self.is_faulty = true;
        self.text += &format!("FAULT {what}: {found}\n      {advice}\n");
    }
}

/// Runs every check and prints what it found; the exit code is 1 when something is broken.
pub(super) async fn doctor(config: &Config, doctor: &Doctor) -> Result<ExitCode> {
    let mut findings = Findings::default();
    configuration(&mut findings, config);
    if let Some(address) = config.database()? {
        match shared::look(&address) {
            Ok(found) => findings.ok("database", &found),
            Err(error) => findings.fault(
                "database",
                &error.for_operator(),
                "Answers go on from the copy below, without anything new.",
            ),
        }
    }
    let mut held = Vec::new();
    let own = store(&mut findings, &config.local_file(), doctor.quarantine);
    let own: Option<Arc<dyn Store>> = own.map(|store| Arc::new(store) as _);
    if let Some(store) = &own {
        held = store.status().unwrap_or_default();
        data(&mut findings, store, &held);
        refused(&mut findings, config, store).await?;
        missed(&mut findings, store).await?;
    }
    if doctor.ask_sources {
        let store = match own {
            Some(store) => store,
            None => Arc::new(Sqlite::bundled()?),
        };
        trial(&mut findings, config, &store).await?;
    }
    clock(&mut findings, &held);
    if doctor.offline {
        let advice = "Leave --offline out to try them.";
        findings.note("sources", "not asked (--offline)", advice);
    } else {
        sources(&mut findings, config).await?;
    }
    print(&printable(&findings.text))?;
    Ok(u8::from(findings.is_faulty).into())
}

fn configuration(findings: &mut Findings, config: &Config) {
    let file = match &config.config {
        Some(file) => format!("read, with {}", econoscope_data::disk::shown(file)),
        None => "flags, environment and defaults; no settings file".into(),
    };
    findings.ok("configuration", &file);
    let what = "base address";
    // The settings were refused if it were no address.
    let base = config.base_url.as_deref().map(url::Url::parse);
    match base.and_then(std::result::Result::ok) {
        None => findings.note(
            what,
            "not set; links in answers name the listening address",
            "For a public service give --base-url https://your.host.",
        ),
        Some(url) if url.scheme() == "https" || url.host_str() == Some("localhost") => {
            findings.ok(what, url.as_str());
        }
        Some(url) => findings.note(
            what,
            &format!("{url} is not https"),
            "Browsers and hosts want https; put a reverse proxy with a certificate in front.",
        ),
    }
    let found = match (config.sources.no_fred, config.sources.fred) {
        (true, _) => "never asked (--no-fred)",
        (false, true) => "asked last, also by a server that others reach (--fred)",
        (false, false) => "asked last, for your own use; never by a server that others reach",
    };
    let advice = "Its terms allow viewing and downloading and forbid storing for others: --no-fred leaves it out, \
        --fred lets a server beyond loopback ask it, too.";
    findings.note("FRED", found, advice);
    match config.sources.fred_key {
        Some(_) => findings.ok("FRED key", "set"),
        None => findings.note(
            "FRED key",
            "none; the public CSV download is used, without past vintages",
            "A free key comes from fredaccount.stlouisfed.org/apikeys; set ECONOSCOPE_FRED_KEY.",
        ),
    }
}

fn store(findings: &mut Findings, path: &Path, quarantine: bool) -> Option<Sqlite> {
    let shown = econoscope_data::disk::shown(path);
    if !path.exists() {
        let found = format!("there is none at {shown}; the bundled history answers");
        let advice = "Run `econoscope sync`, or `econoscope serve`, which syncs by itself.";
        findings.note("store", &found, advice);
        return None;
    }
    let opened = Sqlite::open_existing(path);
    match opened.and_then(|store| Ok((store.integrity()?, store))) {
        Ok((damages, store)) if damages.is_empty() => {
            let kib = std::fs::metadata(path).map_or(0, |m| m.len()) / 1_024;
            findings.ok("store", &format!("{shown}, {kib} KiB, every row verified"));
            return Some(store);
        }
        Ok((damages, _)) => {
            for damage in damages.iter().take(10) {
                findings.fault("store", &damage.what, "");
            }
        }
        Err(error) => {
            findings.fault("store", &error.for_operator(), "");
            if !Sqlite::is_damage(&error) {
                return None;
            }
        }
    }
    aside(findings, path, quarantine);
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
        Ok(aside) => {
            let found = format!("moved to {}", econoscope_data::disk::shown(&aside));
            let advice = "Restore a backup under the old name, or run `econoscope sync`.";
            findings.note("store", &found, advice);
        }
        Err(error) => {
            let advice = "Move the file away by hand.";
            findings.fault("store", &error.for_operator(), advice);
        }
    }
}

fn data(findings: &mut Findings, store: &Arc<dyn Store>, held: &[Status]) {
    let last_sync = store
        .note(econoscope_data::desk::holdings::LAST_SYNC)
        .ok()
        .flatten();
    let last_sync = last_sync.and_then(|text| text.parse::<Timestamp>().ok());
    let now = Desk::system_clock()();
    let today = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    // What is dated ahead is a projection and no observation.
    let measured = held.iter().map(|s| s.last).filter(|day| *day <= today);
    let newest = measured.max().map(|day| day.to_string());
    let newest = newest.unwrap_or_else(|| "none".into());
    let series = format!("{} series, newest observation {newest}", held.len());
    let Some(at) = last_sync else {
        let part = econoscope_data::ingest::last_read(store.as_ref())
            .ok()
            .flatten();
        let found = match part {
            Some(at) => {
                format!("{series}; some were read at {at:.0}, and no sync read most of them yet")
            }
            None => format!("{series}; never synced from the sources"),
        };
        return findings.note("data", &found, "Run `econoscope sync` for live figures.");
    };
    let age = now.duration_since(at);
    if age <= CURRENT {
        return findings.ok("data", &format!("{series}; synced {at}"));
    }
    findings.note(
        "data",
        &format!("{series}; the last sync was {} h ago ({at})", age.as_hours()),
        "Run `econoscope sync`; `econoscope serve` does so every 6 hours unless --no-sync is given.",
    );
}

fn clock(findings: &mut Findings, held: &[Status]) {
    let now = Desk::system_clock()();
    let ahead = held.iter().filter(|s| s.fetched_at > now).count();
    let written: Timestamp = WRITTEN.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    let advice =
        "Set the system clock (timedatectl set-ntp true); ages and daily limits depend on it.";
    if now < written {
        let found = format!("{now} is before this program was written");
        findings.fault("clock", &found, advice);
    } else if ahead > 0 {
        let found = format!("{now}, but {ahead} series were read later than that");
        findings.fault("clock", &found, advice);
    } else {
        findings.ok("clock", &now.to_string());
    }
}

/// Answers of the last sync that were refused; what is held stayed.
async fn refused(findings: &mut Findings, config: &Config, store: &Arc<dyn Store>) -> Result<()> {
    let recipes = config.sources.recipes()?;
    for (feed, refused) in ingest::refused_answers(store, &recipes).await? {
        let what = format!("answer of {feed}");
        let head: String = refused.head.chars().take(200).collect();
        let head = head.replace('\n', " ");
        let advice = match head.is_empty() {
            true => "What is held stayed, and the next source was asked.".to_owned(),
            false => format!("What is held stayed. The answer began: {head}"),
        };
        let found = format!("refused at {:.0}: {}", refused.at, refused.why);
        findings.note(&what, &found, &advice);
    }
    Ok(())
}

/// What the last sync could not bring, with all that the sources said.
async fn missed(findings: &mut Findings, store: &Arc<dyn Store>) -> Result<()> {
    for missed in ingest::last_missed(store).await? {
        let others = match missed.count {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let what = format!("last sync, {}{others}", missed.series);
        let advice = "What is held stayed; the next sync asks again.";
        findings.note(&what, &missed.why, advice);
    }
    Ok(())
}

/// Every source asked for a little. What it prints can be sent to whoever keeps the recipes.
async fn trial(findings: &mut Findings, config: &Config, store: &Arc<dyn Store>) -> Result<()> {
    let settings = config.sources.settings()?;
    let now = Desk::system_clock()();
    let version = env!("CARGO_PKG_VERSION");
    let found = format!("econoscope {version} on {OS}/{ARCH}, {now:.0}; sources asked now");
    findings.ok("report", &found);
    for check in ingest::check_sources(store, &settings, now).await? {
        let what = format!("feed {}", check.feed);
        let took = check.took.map_or(String::new(), |took| {
            format!(" ({}, {:.1} s)", check.host, took.as_secs_f64())
        });
        match check.said {
            Ok(found) => findings.ok(&what, &format!("{found}{took}")),
            Err(why) => findings.note(&what, &format!("{why}{took}"), &began(&check.beginning)),
        }
    }
    Ok(())
}

/// The beginning of an answer that is not as its recipe says.
fn began(beginning: &str) -> String {
    let is_text = |c: char| !c.is_control() || c.is_whitespace();
    match beginning {
        "" => "No answer came. The next source is asked for its series; what is held stays.".into(),
        text if text.starts_with("PK") || !text.chars().all(is_text) => {
            "The answer is no text, such as an archive.".into()
        }
        text => {
            let lines: Vec<&str> = text.lines().take(12).collect();
            let head: String = lines.join(" | ").chars().take(1_200).collect();
            format!("The answer begins: {head}")
        }
    }
}

async fn sources(findings: &mut Findings, config: &Config) -> Result<()> {
    const NAME: &str = "source FRED";
    let url = config.sources.settings()?.fred()?;
    let place = url.host_str().zip(url.port_or_known_default());
    let (host, port) = place.with_context(|| format!("{url} names no host"))?;
    let tried = tokio::net::TcpStream::connect((host, port));
    let why = match tokio::time::timeout(PATIENCE, tried).await {
        Ok(Ok(_)) => {
            findings.ok(NAME, &format!("{host}:{port} can be reached"));
            return Ok(());
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer".to_owned(),
    };
    let advice = "Check network, name server and firewall; what is stored is served meanwhile.";
    findings.note(NAME, &format!("{host}:{port}: {why}"), advice);
    Ok(())
}

/// Copies the store into a new, checked file; a folder gets a file with the time in its name.
pub(super) fn backup(config: &Config, to: &Path) -> Result<()> {
    shared::must_be_file(config)?;
    let from = config.local_file();
    let now = app::stamp(Desk::system_clock()());
    let to: PathBuf = match to.is_dir() {
        true => to.join(format!("econoscope-{now}.db")),
        false => to.to_owned(),
    };
    Sqlite::open_existing(&from)?.backup(&to)?;
    let to = econoscope_data::disk::shown(&to);
    tell(&format!("wrote {to} and verified every row"));
    Ok(())
}

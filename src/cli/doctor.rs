//! `econoscope doctor`: checks settings, store, data, clock and sources, with advice on what is wrong.

use super::output::{print, printable};
use crate::app;
use crate::config::{Config, Doctor};
use anyhow::Result;
use econoscope_core::error::Error;
use econoscope_core::indicators::prose::join;
use econoscope_data::disk;
use econoscope_data::ingest;
use econoscope_data::store::{Postgres, Sqlite, Status, Store};
use econoscope_data::upstream::{Request, Upstream};
use econoscope_desk::Desk;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::env::consts::{ARCH, OS};
use std::fmt::Display;
use std::path::Path;
use std::process::ExitCode;

/// A sync within this time is current.
const CURRENT: SignedDuration = SignedDuration::from_hours(48);
/// A clock that shows an earlier time is wrong: the program was released later.
const EARLIEST_TIME: &str = "2026-11-01T00:00:00Z";

/// The results of the checks, as lines of text.
#[derive(Default)]
struct Findings {
    text: String,
    has_fault: bool,
}

impl Findings {
    fn ok(&mut self, subject: &str, finding: impl Display) {
        self.text += &format!("ok    {subject}: {finding}\n");
    }

    fn note(&mut self, subject: &str, finding: &str, advice: &str) {
        self.text += &format!("note  {subject}: {finding}\n      {advice}\n");
    }

    fn fault(&mut self, subject: &str, finding: &str, advice: &str) {
        self.has_fault = true;
        self.text += &format!("FAULT {subject}: {finding}\n      {advice}\n");
    }
}

/// Runs every check and prints the findings. The exit code is 1 with a fault.
pub(super) async fn doctor(config: &Config, options: &Doctor) -> Result<ExitCode> {
    let mut findings = Findings::default();
    check_configuration(&mut findings, config);
    if let Some(address) = config.database()? {
        let database = Postgres::open(&address).and_then(|database| database.lease_status());
        match database {
            Ok((series, holder)) => {
                findings.ok(
                    "database",
                    format!("{address} answers: {series} series; {holder}"),
                );
            }
            Err(error) => findings.fault(
                "database",
                &error.operator_message(),
                "The server answers from the replica below, without new data.",
            ),
        }
    }
    let mut stored = Vec::new();
    let store = check_store(&mut findings, &config.local_file(), options.quarantine);
    if let Some(store) = &store {
        stored = store.status().unwrap_or_default();
        check_data(&mut findings, store, &stored);
        count_release_days(&mut findings, store)?;
        list_refused_responses(&mut findings, config, store)?;
        list_missed_series(&mut findings, store)?;
    }
    if options.check_sources {
        let store = match store {
            Some(store) => store,
            None => Sqlite::bundled()?,
        };
        check_sources(&mut findings, config, &store).await?;
    }
    check_clock(&mut findings, &stored);
    if let Some(upstream) = app::open_upstream(config)? {
        check_upstream(&mut findings, &upstream, options.offline).await?;
    }
    if !options.check_sources {
        let advice = "Run with --sources to ask each of them.";
        findings.note("sources", "not checked", advice);
    }
    print(&printable(&findings.text))?;
    Ok(u8::from(findings.has_fault).into())
}

/// Asks the upstream once, which costs one of its calls, and tells how many are left.
async fn check_upstream(
    findings: &mut Findings,
    upstream: &Upstream,
    is_offline: bool,
) -> Result<()> {
    const SUBJECT: &str = "upstream";
    let mut answer = None;
    if !is_offline {
        let request = Request::new(&["api", "public", "macro-summary"], &[]);
        answer = Some(upstream.probe(request).await);
        upstream.wait_until_idle().await;
    }
    // A ledger in a database blocks its thread.
    let read = upstream.clone();
    let read = move || (read.quota(), read.last_success());
    let (quota, last) = tokio::task::spawn_blocking(read).await?;
    let calls = match quota {
        Ok(quota) => format!(
            "{} of {} calls used in 24 hours, {} left",
            quota.used, quota.limit, quota.remaining
        ),
        Err(error) => error.operator_message(),
    };
    let last = last.map_or("never".to_owned(), |time| format!("at {time:.0}"));
    let address = upstream.base();
    let finding = format!("{address}: {calls}; last answered {last}");
    match answer {
        None => findings.note(SUBJECT, &finding, "Run without --offline to ask it once."),
        Some(Ok(())) => findings.ok(SUBJECT, finding),
        Some(Err(error @ Error::RateLimited { .. })) => {
            findings.note(SUBJECT, &finding, &error.operator_message());
        }
        Some(Err(error)) => {
            let problem = error.operator_message();
            let advice =
                "Check address, network and firewall; stored answers are served meanwhile.";
            findings.fault(SUBJECT, &format!("{finding}. {problem}"), advice);
        }
    }
    Ok(())
}

fn check_configuration(findings: &mut Findings, config: &Config) {
    let file = match &config.config {
        Some(file) => format!("read, with {}", disk::format_path(file)),
        None => "flags, environment and defaults; no settings file".into(),
    };
    findings.ok("configuration", file);
    let subject = "base address";
    // Loading the settings has checked that it is a URL.
    let base = config.base_url.as_deref().map(url::Url::parse);
    match base.and_then(std::result::Result::ok) {
        None => findings.note(
            subject,
            "not set; links in answers name the listening address",
            "For a public service, set --base-url https://your.host.",
        ),
        Some(url) if url.scheme() == "https" || url.host_str() == Some("localhost") => {
            findings.ok(subject, url.as_str());
        }
        Some(url) => findings.note(
            subject,
            &format!("{url} is not https"),
            "Browsers and MCP hosts require https; run a reverse proxy with a certificate in front.",
        ),
    }
    let use_of_fred = match (config.sources.no_fred, config.sources.fred) {
        (true, _) => "never asked (--no-fred)",
        (false, true) => "asked last, by every sync (--fred)",
        (false, false) => "asked last, by `econoscope sync` alone",
    };
    let advice = "It alone has credit spreads, share indexes and house prices; its terms reserve them for your own use. \
        --fred asks it in the background, too; --no-fred never.";
    findings.note("FRED", use_of_fred, advice);
    match config.sources.fred_key {
        Some(_) => findings.ok("FRED key", "set"),
        None => findings.note(
            "FRED key",
            "not set; the public CSV download is used, without past vintages",
            "Get a free key at fredaccount.stlouisfed.org/apikeys and set ECONOSCOPE_FRED_KEY.",
        ),
    }
}

/// Verifies every row of the store, and returns it if it is sound. Moves a damaged store away if `quarantine`.
fn check_store(findings: &mut Findings, path: &Path, quarantine: bool) -> Option<Sqlite> {
    let file = disk::format_path(path);
    if !path.exists() {
        let finding = format!("no file at {file}; the bundled history is used");
        let advice = "Run `econoscope sync`, or `econoscope serve`, which syncs by itself.";
        findings.note("store", &finding, advice);
        return None;
    }
    let store = Sqlite::open_existing(path);
    match store.and_then(|store| Ok((store.check_integrity()?, store))) {
        Ok((damages, store)) if damages.is_empty() => {
            let kib = std::fs::metadata(path).map_or(0, |m| m.len()) / 1_024;
            findings.ok("store", format!("{file}, {kib} KiB, every row verified"));
            return Some(store);
        }
        Ok((damages, _)) => {
            for damage in damages.iter().take(10) {
                findings.fault("store", damage, "");
            }
        }
        Err(error) => {
            findings.fault("store", &error.operator_message(), "");
            if !Sqlite::is_damage(&error) {
                return None;
            }
        }
    }
    if !quarantine {
        findings.note(
            "repair",
            "the file is unchanged",
            "Stop every econoscope process, run `econoscope doctor --quarantine`, then restore a backup or sync again.",
        );
        return None;
    }
    match Sqlite::quarantine(path) {
        Ok(moved) => {
            let finding = format!("moved to {}", disk::format_path(&moved));
            let advice = "Restore a backup under the old name, or run `econoscope sync`.";
            findings.note("store", &finding, advice);
        }
        Err(error) => {
            let advice = "Move the file away by hand.";
            findings.fault("store", &error.operator_message(), advice);
        }
    }
    None
}

fn utc_date(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}

/// Checks when the store was synced, and the newest observation.
fn check_data(findings: &mut Findings, store: &dyn Store, stored: &[Status]) {
    let now = Desk::system_clock()();
    let today = utc_date(now);
    // Later dates are projections.
    let observed = stored.iter().map(|s| s.last).filter(|day| *day <= today);
    let newest = observed
        .max()
        .map_or("none".to_owned(), |day| day.to_string());
    let series = format!("{} series, newest observation {newest}", stored.len());
    let last_sync = store.note(ingest::LAST_SYNC).ok().flatten();
    let Some(synced) = last_sync.and_then(|text| text.parse::<Timestamp>().ok()) else {
        let finding = match ingest::last_read(store).ok().flatten() {
            Some(read) => {
                format!("{series}; some were read at {read:.0}, and no sync read most of them yet")
            }
            None => format!("{series}; never synced from the sources"),
        };
        return findings.note("data", &finding, "Run `econoscope sync` for live figures.");
    };
    let age = now.duration_since(synced);
    if age <= CURRENT {
        return findings.ok("data", format!("{series}; synced {synced}"));
    }
    let hours = age.as_hours();
    findings.note(
        "data",
        &format!("{series}; the last sync was {hours} h ago ({synced})"),
        "Run `econoscope sync`; `econoscope serve` does so every 6 hours unless --no-sync is given.",
    );
}

fn check_clock(findings: &mut Findings, stored: &[Status]) {
    let now = Desk::system_clock()();
    let later = stored.iter().filter(|s| s.fetched_at > now).count();
    let earliest: Timestamp = EARLIEST_TIME.parse().unwrap_or(Timestamp::UNIX_EPOCH);
    let fault = if now < earliest {
        format!("{now:.0} is earlier than the release of this program")
    } else if later > 0 {
        format!("{now:.0}, but {later} series have a later fetch time")
    } else {
        return findings.ok("clock", format!("{now:.0}"));
    };
    let advice =
        "Set the system clock (timedatectl set-ntp true); ages and daily limits depend on it.";
    findings.fault("clock", &fault, advice);
}

/// Lists the responses that the last sync refused. A refused response changes nothing in the store.
fn list_refused_responses(
    findings: &mut Findings,
    config: &Config,
    store: &dyn Store,
) -> Result<()> {
    let recipes = config.sources.recipes()?;
    for (feed, refused) in ingest::refused_responses(store, &recipes)? {
        let head: String = refused.head.chars().take(200).collect();
        let advice = match head.replace('\n', " ").as_str() {
            "" => "The stored rows are unchanged; the next source was requested.".to_owned(),
            head => format!("The stored rows are unchanged. The response began: {head}"),
        };
        let finding = format!("refused at {:.0}: {}", refused.at, refused.why);
        findings.note(&format!("answer of {feed}"), &finding, &advice);
    }
    Ok(())
}

/// Counts the stored release days that agencies announced.
fn count_release_days(findings: &mut Findings, store: &dyn Store) -> Result<()> {
    let today = utc_date(Desk::system_clock()());
    let count = ingest::announced_days(store)?.count_from(today);
    findings.ok(
        "release days",
        format!("{count} to come are announced, others are expected by rule"),
    );
    Ok(())
}

/// Lists the series that the last sync could not fetch, with the errors of the sources.
fn list_missed_series(findings: &mut Findings, store: &dyn Store) -> Result<()> {
    for missed in ingest::last_missed(store)? {
        let others = match missed.count {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let subject = format!("last sync, {}{others}", missed.series);
        let advice = "The stored rows are unchanged; the next sync tries again.";
        findings.note(&subject, &missed.why, advice);
    }
    Ok(())
}

/// Makes a small request to every source. The output is a report for the maintainers of the recipes.
async fn check_sources(findings: &mut Findings, config: &Config, store: &dyn Store) -> Result<()> {
    let settings = config.source_settings()?;
    let now = Desk::system_clock()();
    let version = env!("CARGO_PKG_VERSION");
    let finding = format!("econoscope {version} on {OS}/{ARCH}, {now:.0}; sources requested now");
    findings.ok("report", finding);
    for check in ingest::check_sources(store, &settings, now).await? {
        let subject = format!("feed {}", check.feed);
        let took = check.duration.map_or(String::new(), |took| {
            format!(" ({}, {:.1} s)", check.host, took.as_secs_f64())
        });
        match check.result {
            Ok(finding) => findings.ok(&subject, format!("{finding}{took}")),
            Err(why) => {
                let advice = describe_response(&check.head);
                findings.note(&subject, &format!("{why}{took}"), &advice);
            }
        }
    }
    Ok(())
}

/// Describes the beginning of a response that does not match its recipe.
fn describe_response(beginning: &str) -> String {
    let is_text = |c: char| !c.is_control() || c.is_whitespace();
    if beginning.is_empty() {
        "There was no response. A sync requests the next source; the stored rows stay.".to_owned()
    } else if beginning.starts_with("PK") || !beginning.chars().all(is_text) {
        "The response is not text; it may be an archive.".to_owned()
    } else {
        let lines = join(beginning.lines().take(12), " | ");
        let head: String = lines.chars().take(1_200).collect();
        format!("The response begins: {head}")
    }
}

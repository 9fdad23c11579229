//! Checks of settings before the program starts its work.

use super::commands::Install;
use super::settings::{Command, Config};
use super::values::suggest;
use anyhow::{Result, bail};
use econoscope_core::error::quote;
use econoscope_data::postgres::Address;
use std::path::Path;
use tracing_subscriber::filter::LevelFilter;
use url::Url;

/// Refuses a lock on a past day for commands that write, and for answers of an upstream, which has no lock.
fn check_lock(config: &Config) -> Result<()> {
    let answers = matches!(
        &config.command,
        None | Some(Command::Stdio | Command::Serve(_) | Command::Export(_))
    );
    if config.as_of.is_some() && (!answers || config.forwarding.upstream.is_some()) {
        bail!("--as-of goes with stdio, serve and export, and without --upstream");
    }
    Ok(())
}

/// Checks settings that would otherwise fail late or show up as broken links.
///
/// # Errors
/// When the base URL is unusable, or a named folder or file does not exist.
pub(super) fn check(config: &Config) -> Result<()> {
    if let Some(text) = &config.base_url
        && let Some(problem) = base_url_problem(text)
    {
        let text = econoscope_data::disk::escape_controls(text);
        bail!(
            "--base-url {text} {problem}; write the address that clients use, for example https://macro.example.org"
        );
    }
    check_log(&config.log)?;
    check_allowed_names(config)?;
    check_source_names(config)?;
    check_lock(config)?;
    let folders = &config.folders;
    for (flag, folder) in [
        ("scenarios", &folders.scenarios),
        ("articles", &folders.articles),
        ("sources", &config.sources.sources),
    ] {
        if let Some(folder) = folder.as_deref().filter(|folder| !folder.is_dir()) {
            let path = econoscope_data::disk::format_path(folder);
            bail!("--{flag} {path}: the folder does not exist; create it, or correct the name");
        }
    }
    if let Some(file) = &folders.feeds
        && file.as_os_str() != "none"
        && !file.exists()
    {
        let path = econoscope_data::disk::format_path(file);
        bail!("--feeds {path}: the file does not exist; correct the name, or write none");
    }
    config.database()?;
    // What is only shown needs no folder.
    let is_shown = |install: &Install| install.print || install.target.dry_run;
    if matches!(&config.command, Some(Command::Install(install)) if is_shown(install)) {
        return Ok(());
    }
    for (flag, file) in [
        ("store", config.store.as_deref()),
        ("replica", config.replica.as_deref()),
        (
            "upstream-state",
            config.forwarding.upstream_state.as_deref(),
        ),
    ] {
        // The address of a database is checked where it is opened.
        let folder = file
            .filter(|f| !f.to_str().is_some_and(Address::has_scheme))
            .and_then(Path::parent);
        if let Some(folder) = folder.filter(|f| !f.as_os_str().is_empty() && !f.exists()) {
            let path = econoscope_data::disk::format_path(folder);
            bail!(
                "--{flag}: the folder {path} does not exist; create it, or correct the path of the file"
            );
        }
    }
    Ok(())
}

/// Checks that `--allowed-host` and `--allowed-origin` name hosts and origins, not all of them.
fn check_allowed_names(config: &Config) -> Result<()> {
    if let Some(Command::Serve(serve)) = &config.command {
        for (flag, entries, example) in [
            ("host", &serve.allowed_host, "macro.example.org"),
            (
                "origin",
                &serve.allowed_origin,
                "https://app.example.com:443",
            ),
        ] {
            // Of an origin the port may be `*`.
            let is_any = |entry: &&String| entry.trim().trim_end_matches(":*").contains('*');
            if let Some(entry) = entries.iter().find(is_any) {
                let entry = quote(entry);
                bail!(
                    "--allowed-{flag} {entry} does not stand for every {flag}; name each, for example {example}"
                );
            }
        }
    }
    Ok(())
}

/// Checks that every part of the log's filter is a level, or a module with its level.
fn check_log(filter: &str) -> Result<()> {
    let is_level = |text: &str| text.trim().parse::<LevelFilter>().is_ok();
    let mut parts = filter.split(',').filter(|part| !part.trim().is_empty());
    let invalid = parts.find(|part| !is_level(part.rsplit('=').next().unwrap_or_default()));
    if let Some(part) = invalid.map(quote) {
        bail!(
            "--log {part} has no level; write off, error, warn, info, debug or trace, or MODULE=LEVEL"
        );
    }
    Ok(())
}

/// Checks that keys and addresses are for sources that exist.
fn check_source_names(config: &Config) -> Result<()> {
    let sources = &config.sources;
    let keys = sources.source_key.iter().map(|(name, _)| ("key", name));
    let urls = sources.source_url.iter().map(|(name, _)| ("url", name));
    let names: Vec<_> = keys.chain(urls).collect();
    if names.is_empty() {
        return Ok(());
    }
    let recipes = sources.recipes()?;
    for (flag, name) in names {
        if recipes.source(name).is_none() && !(flag == "url" && OTHERS.contains(&name.as_str())) {
            let known = recipes
                .recipes
                .iter()
                .map(|recipe| recipe.source.id.as_str());
            let hint = suggest(known, name, "");
            bail!(
                "--source-{flag}: no source is named {}; {hint}",
                quote(name)
            );
        }
    }
    Ok(())
}

/// The addresses of FRED and of a search at DBnomics, which have no recipe.
const OTHERS: [&str; 3] = ["fred", "fred api", "dbnomics"];

/// Returns why a text cannot be the base URL, as the predicate of a sentence.
fn base_url_problem(text: &str) -> Option<&'static str> {
    let url = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        Ok(_) if text.contains("://") => return Some("has a scheme other than http and https"),
        Ok(_) | Err(_) => {
            return Some("has no https:// or http:// at the start, or no host after it");
        }
    };
    if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
        Some("is an address to listen on, not one to connect to")
    } else if url.path() != "/" {
        Some("has a path, but pages and scripts are served from the root")
    } else if url.query().is_some() || url.fragment().is_some() {
        Some("contains ? or #")
    } else if !url.username().is_empty() || url.password().is_some() {
        Some("contains a name or password")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_url_must_be_reachable_by_others() {
        for valid in [
            "https://macro.example.org",
            "http://localhost:8080/",
            "https://[2001:db8::1]:8443",
        ] {
            assert_eq!(base_url_problem(valid), None, "{valid}");
        }
        for invalid in [
            "macro.example.org",
            "macro.example.org:8080",
            "ftp://example.org",
            "https://",
            "http://0.0.0.0:8080",
            "http://[::]/",
            "https://a.org/?x=1",
            "https://example.org/econ/",
            "https://example.org/a",
            "https://a.org/#x",
            "https://me:pw@a.org",
        ] {
            assert!(base_url_problem(invalid).is_some(), "{invalid}");
        }
    }
}

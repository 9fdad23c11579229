//! Checks of settings before the program starts its work.

use super::settings::Config;
use anyhow::{Result, bail};
use econoscope_data::postgres::Address;
use std::path::Path;
use url::Url;

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
    for (flag, file) in [
        ("store", config.store.as_deref()),
        ("replica", config.shared_store.replica.as_deref()),
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

/// Returns why a text cannot be the base URL, as the predicate of a sentence.
fn base_url_problem(text: &str) -> Option<&'static str> {
    let url = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        Ok(_) if text.contains("://") => return Some("has a scheme other than http and https"),
        Ok(_) | Err(_) => {
            return Some("has no https:// or http:// at the start, or no host after it");
        }
    };
    let is_unspecified = match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_unspecified(),
        Some(url::Host::Ipv6(ip)) => ip.is_unspecified(),
        Some(url::Host::Domain(_)) | None => false,
    };
    if is_unspecified {
        Some("is an address to listen on, not one to connect to")
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
            "https://[2001:db8::1]:8443/macro",
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
            "https://a.org/#x",
            "https://me:pw@a.org",
        ] {
            assert!(base_url_problem(invalid).is_some(), "{invalid}");
        }
    }
}

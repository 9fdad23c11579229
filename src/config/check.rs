//! What is refused before anything begins.

use super::settings::{Command, Config};
use anyhow::{Result, bail};
use econoscope_data::postgres::Address;
use std::path::Path;
use url::Url;

/// Refuses what would only fail later, or be passed on as a broken link.
///
/// # Errors
/// When the base address is none, or a folder or file that was named is not there.
pub(super) fn check(config: &Config) -> Result<()> {
    if let Some(text) = &config.base_url
        && let Some(problem) = no_base(text)
    {
        let text = econoscope_data::disk::escaped(text);
        bail!(
            "--base-url {text} {problem}; write the address that others type, for example https://macro.example.org"
        );
    }
    if let Some(Command::Serve(serve)) = &config.command {
        serve.webhooks.receivers()?;
    }
    let folders = &config.folders;
    for (flag, folder) in [
        ("scenarios", &folders.scenarios),
        ("articles", &folders.articles),
        ("sources", &config.sources.sources),
    ] {
        if let Some(folder) = folder.as_deref().filter(|folder| !folder.is_dir()) {
            let shown = econoscope_data::disk::shown(folder);
            bail!("--{flag} {shown}: there is no such folder; make it first, or correct its name");
        }
    }
    if let Some(file) = &folders.feeds
        && file.as_os_str() != "none"
        && !file.exists()
    {
        let shown = econoscope_data::disk::shown(file);
        bail!("--feeds {shown}: there is no such file; correct its name, or write none");
    }
    let is_file = config.database()?.is_none();
    for (flag, file) in [
        ("store", if is_file { &config.store } else { &None }),
        ("replica", &config.shared.replica),
        ("upstream-state", &config.forwarding.upstream_state),
    ] {
        // A database may lie there instead; its address is read by who speaks to it.
        let file = file.as_deref();
        let file = file.filter(|f| !f.to_str().is_some_and(Address::is_meant));
        let folder = file.and_then(Path::parent);
        if let Some(folder) = folder.filter(|f| !f.as_os_str().is_empty() && !f.exists()) {
            let shown = econoscope_data::disk::shown(folder);
            bail!(
                "--{flag}: there is no folder {shown}; make it first, or correct the path of the file"
            );
        }
    }
    Ok(())
}

/// Why a text is no address that can be given to the world, as words that follow it.
fn no_base(text: &str) -> Option<&'static str> {
    let url = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        Ok(url) if text.contains("://") && !url.scheme().is_empty() => {
            return Some("is not of http or https");
        }
        Ok(_) | Err(_) => {
            return Some("has no https:// (or http://) in front, or no host behind it");
        }
    };
    let is_everywhere = match url.host() {
        Some(url::Host::Ipv4(ip)) => ip.is_unspecified(),
        Some(url::Host::Ipv6(ip)) => ip.is_unspecified(),
        Some(url::Host::Domain(_)) | None => false,
    };
    if is_everywhere {
        return Some("is an address to listen on and not one to be called at");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Some("has a ? or # in it");
    }
    let is_named = !url.username().is_empty() || url.password().is_some();
    is_named.then_some("has a name or password in it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_is_one_that_others_can_call() {
        for right in [
            "https://macro.example.org",
            "http://localhost:8080/",
            "https://[2001:db8::1]:8443/macro",
        ] {
            assert_eq!(no_base(right), None, "{right}");
        }
        for wrong in [
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
            assert!(no_base(wrong).is_some(), "{wrong}");
        }
    }
}

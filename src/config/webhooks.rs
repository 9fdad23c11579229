//! Flags of webhooks: addresses, conditions and signing keys.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use econoscope_data::webhook::{Receiver, Secret, Sender};
use std::convert::Infallible;
use url::Url;

/// Maximum number of addresses and of conditions.
const MAX: usize = 64;

/// Flags of webhooks.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Webhooks")]
pub(crate) struct Webhooks {
    /// Address to which each crossing of a condition is posted, as desk=https://hooks.example.org/macro (repeat or separate by commas)
    #[arg(long, value_name = "NAME=URL", value_delimiter = ',', hide_env_values = true, value_parser = parse_url)]
    pub(crate) webhook: Vec<(String, Url)>,

    /// Condition whose crossings are sent to an address, as "desk=T10Y2Y < 0" (repeat or separate by semicolons)
    #[arg(long, value_name = "NAME=CONDITION", value_delimiter = ';', value_parser = parse_named)]
    pub(crate) webhook_condition: Vec<(String, String)>,

    /// Key that signs the messages to an address, as desk=whsec_ and 24 to 64 bytes in base64 (repeat or separate by commas)
    #[arg(long, value_name = "NAME=SECRET", value_delimiter = ',', hide_env_values = true, value_parser = parse_secret)]
    pub(crate) webhook_secret: Vec<(String, Secret)>,

    /// Host inside your own network that webhooks may call, also over plain http; all others are refused (repeat or separate by commas)
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    pub(crate) webhook_allow_host: Vec<String>,
}

impl Webhooks {
    /// Creates the client that sends webhooks.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Internal`] when TLS cannot be set up.
    pub(crate) fn sender(&self) -> econoscope_core::Result<Sender> {
        Sender::new(self.webhook_allow_host.iter().cloned())
    }

    /// Returns each address with its conditions and its key.
    ///
    /// # Errors
    /// When an address lacks conditions or a key, when either has an unknown name, or when an address may not be called.
    pub(crate) fn receivers(&self) -> Result<Vec<Receiver>> {
        let addresses = &self.webhook;
        let conditions = &self.webhook_condition;
        ensure!(
            addresses.len() <= MAX && conditions.len() <= MAX,
            "--webhook: more than {MAX} addresses or conditions"
        );
        let conditions = conditions.iter().map(|(name, _)| name);
        let secrets = self.webhook_secret.iter().map(|(name, _)| name);
        for name in conditions.chain(secrets) {
            if addresses.iter().all(|(other, _)| other != name) {
                // The text before `=` may be a secret without a name, so it is not shown.
                bail!(
                    "--webhook-condition or --webhook-secret: each value starts with the name of a --webhook and ="
                );
            }
        }
        if addresses.is_empty() {
            return Ok(Vec::new());
        }
        let sender = self.sender()?;
        let receiver = |(name, url): &(String, Url)| {
            if let Some(problem) = sender.problem(url) {
                bail!("--webhook {name}: the address {problem}");
            }
            let same = addresses.iter().filter(|(other, _)| other == name);
            ensure!(same.count() == 1, "--webhook {name} occurs twice");
            let secret = self.webhook_secret.iter().find(|(other, _)| other == name);
            let (_, secret) = secret.with_context(|| {
                format!("--webhook {name} has no --webhook-secret to sign with")
            })?;
            ensure!(
                secret.is_valid(),
                "--webhook-secret of {name} is not whsec_ and 24 to 64 bytes in base64"
            );
            let conditions: Vec<String> = self
                .webhook_condition
                .iter()
                .filter(|(other, _)| other == name)
                .map(|(_, text)| text.clone())
                .collect();
            ensure!(
                !conditions.is_empty(),
                "--webhook {name} has no --webhook-condition"
            );
            Ok(Receiver {
                name: name.clone(),
                url: url.clone(),
                secret: secret.clone(),
                conditions,
            })
        };
        addresses.iter().map(receiver).collect()
    }
}

/// Parses a name of lower-case letters, digits and hyphens, and the value behind the first equals sign.
fn parse_named(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let name = name.trim();
    let value = value.trim();
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if (1..=64).contains(&name.len()) && name.bytes().all(is_name) && !value.is_empty() {
        Ok((name.to_owned(), value.to_owned()))
    } else {
        Err("write NAME=VALUE, with a name of lower-case letters, digits and hyphens")
    }
}

fn parse_url(text: &str) -> Result<(String, Url)> {
    let (name, url) = parse_named(text).map_err(anyhow::Error::msg)?;
    Ok((name, Url::parse(&url)?))
}

/// Parses a name and a key. Every text is accepted, since the error of a parser would show it.
fn parse_secret(text: &str) -> Result<(String, Secret), Infallible> {
    let (name, secret) = text.split_once('=').unwrap_or_default();
    Ok((name.trim().to_owned(), Secret::from_text(secret)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn receivers(flags: &[&str]) -> Result<Vec<Receiver>> {
        let line = ["econoscope", "serve"].iter().chain(flags);
        let matches = crate::config::command().try_get_matches_from(line)?;
        let config = <crate::config::Config as clap::FromArgMatches>::from_arg_matches(&matches)?;
        let Some(crate::config::Command::Serve(serve)) = config.command else {
            panic!("no settings of serve");
        };
        serve.webhooks.receivers()
    }

    #[test]
    fn webhook_needs_conditions_a_key_and_an_external_address() {
        let secret = format!("--webhook-secret=a={KEY}");
        let url = "--webhook=a=https://example.org/x?y=1";
        let condition = "--webhook-condition=a=T10Y2Y < 0; a=UNRATE >= max(4, 5)";
        let found = receivers(&[url, condition, &secret]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].url.as_str(), "https://example.org/x?y=1");
        assert_eq!(found[0].conditions, ["T10Y2Y < 0", "UNRATE >= max(4, 5)"]);
        assert!(receivers(&[]).unwrap().is_empty());
        let own = "--webhook=a=http://localhost:9/";
        assert!(receivers(&[own, condition, &secret, "--webhook-allow-host=LOCALHOST"]).is_ok());
        let no_name = format!("--webhook-secret={KEY}");
        for (flags, message) in [
            (&[url, condition][..], "no --webhook-secret"),
            (&[url, &secret], "no --webhook-condition"),
            (&[condition], "name of a --webhook"),
            (&[url, condition, &no_name], "name of a --webhook"),
            (&[url, condition, "--webhook-secret=a=canary"], "not whsec_"),
            (&[url, url, condition, &secret], "twice"),
            (&[own, condition, &secret], "is not https"),
            (
                &["--webhook=a=https://10.0.0.1/", condition, &secret],
                "inside this network",
            ),
            (
                &["--webhook=a=https://169.254.169.254/", condition, &secret],
                "inside this network",
            ),
            (
                &["--webhook=A=https://example.org", condition, &secret],
                "lower-case letters",
            ),
        ] {
            let error = format!("{:#}", receivers(flags).unwrap_err());
            assert!(error.contains(message), "{flags:?}: {error}");
            assert!(!error.contains("canary") && !error.contains(KEY), "{error}");
        }
    }
}

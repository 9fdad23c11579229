//! Flags that say who is told of the crossings of which conditions.

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use econoscope_data::webhook::{Receiver, Secret, Sender};
use std::convert::Infallible;
use url::Url;

/// Most addresses, and most conditions of all of them.
const MAX: usize = 64;

/// Who is told of crossings.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Webhooks")]
pub(crate) struct Webhooks {
    /// Address to which each crossing of a condition is posted, as desk=https://hooks.example.org/macro (repeat or separate by commas)
    #[arg(long, value_name = "NAME=URL", value_delimiter = ',', hide_env_values = true, value_parser = url)]
    pub(crate) webhook: Vec<(String, Url)>,

    /// Condition whose crossings an address is told of, as "desk=T10Y2Y < 0" (repeat or separate by semicolons)
    #[arg(long, value_name = "NAME=CONDITION", value_delimiter = ';', value_parser = named)]
    pub(crate) webhook_condition: Vec<(String, String)>,

    /// Key that signs what an address is sent, as desk=whsec_ and 24 to 64 bytes in base64 (repeat or separate by commas)
    #[arg(long, value_name = "NAME=SECRET", value_delimiter = ',', hide_env_values = true, value_parser = secret)]
    pub(crate) webhook_secret: Vec<(String, Secret)>,

    /// Host inside your own network that webhooks may call, also over plain http; all others are refused (repeat or separate by commas)
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    pub(crate) webhook_allow_host: Vec<String>,
}

impl Webhooks {
    /// What sends to them.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Internal`] when TLS cannot be set up.
    pub(crate) fn sender(&self) -> econoscope_core::Result<Sender> {
        Sender::new(self.webhook_allow_host.iter().cloned())
    }

    /// Each address with its conditions and its key.
    ///
    /// # Errors
    /// When one of the three is missing or names another address, or an address may not be called.
    pub(crate) fn receivers(&self) -> Result<Vec<Receiver>> {
        let (addresses, conditions) = (&self.webhook, &self.webhook_condition);
        ensure!(
            addresses.len() <= MAX && conditions.len() <= MAX,
            "--webhook: more than {MAX} addresses or conditions"
        );
        let conditions = conditions.iter().map(|(name, _)| name);
        let secrets = self.webhook_secret.iter().map(|(name, _)| name);
        for name in conditions.chain(secrets) {
            if !addresses.iter().any(|(known, _)| known == name) {
                // What stands before = may be a secret that was given without its name.
                bail!(
                    "--webhook-condition or --webhook-secret: each begins with the name of a --webhook and ="
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
            let same = addresses.iter().filter(|(known, _)| known == name);
            ensure!(same.count() == 1, "--webhook {name} is there twice");
            let secret = self.webhook_secret.iter().find(|(known, _)| known == name);
            let (_, secret) = secret.with_context(|| {
                format!("--webhook {name} has no --webhook-secret to sign with")
            })?;
            ensure!(
                secret.is_valid(),
                "--webhook-secret of {name} is not whsec_ and 24 to 64 bytes in base64"
            );
            let all = self.webhook_condition.iter();
            let own = all.filter(|(known, _)| known == name);
            let conditions: Vec<String> = own.map(|(_, condition)| condition.clone()).collect();
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

/// A name in small letters, digits and hyphens, and what stands behind the first equals sign.
fn named(text: &str) -> Result<(String, String), String> {
    let split = text.split_once('=');
    let (name, value) = split
        .map(|(name, value)| (name.trim(), value.trim()))
        .unwrap_or_default();
    let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    match !name.is_empty() && name.len() <= 64 && name.bytes().all(is_name) && !value.is_empty() {
        true => Ok((name.to_owned(), value.to_owned())),
        false => Err("write NAME=VALUE, with a name of small letters, digits and hyphens".into()),
    }
}

fn url(text: &str) -> Result<(String, Url), String> {
    let (name, url) = named(text)?;
    let url = Url::parse(&url).map_err(|problem| problem.to_string())?;
    Ok((name, url))
}

/// A key with its name. Whatever was given is taken, so that nothing repeats it.
fn secret(text: &str) -> Result<(String, Secret), Infallible> {
    let (name, secret) = text.split_once('=').unwrap_or_default();
    Ok((name.trim().to_owned(), Secret::given(secret)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn given(words: &[&str]) -> Result<Vec<Receiver>> {
        let words = ["econoscope", "serve"].iter().chain(words);
        let matches = crate::config::command().try_get_matches_from(words)?;
        let config = <crate::config::Config as clap::FromArgMatches>::from_arg_matches(&matches)?;
        let Some(crate::config::Command::Serve(serve)) = config.command else {
            panic!("no settings of serve");
        };
        serve.webhooks.receivers()
    }

    #[test]
    fn an_address_needs_conditions_and_a_key_and_lies_outside() {
        let secret = format!("--webhook-secret=a={KEY}");
        let (url, condition) = (
            "--webhook=a=https://example.org/x?y=1",
            "--webhook-condition=a=T10Y2Y < 0; a=UNRATE >= max(4, 5)",
        );
        let found = given(&[url, condition, &secret]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].url.as_str(), "https://example.org/x?y=1");
        assert_eq!(found[0].conditions, ["T10Y2Y < 0", "UNRATE >= max(4, 5)"]);
        assert!(given(&[]).unwrap().is_empty());
        let own = "--webhook=a=http://localhost:9/";
        assert!(given(&[own, condition, &secret, "--webhook-allow-host=LOCALHOST"]).is_ok());
        let no_name = format!("--webhook-secret={KEY}");
        for (words, says) in [
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
                "small letters",
            ),
        ] {
            let said = format!("{:#}", given(words).unwrap_err());
            assert!(said.contains(says), "{words:?}: {said}");
            assert!(!said.contains("canary") && !said.contains(KEY), "{said}");
        }
    }
}

//! Where a database is: `postgres://user:password@host:5432/name?sslmode=require`.

use econoscope_core::error::{Error, Result};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::ConfigVerifierExt;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

const FORM: &str =
    "postgres://USER@HOST:5432/DATABASE, with the password in the environment variable PGPASSWORD";

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);
/// How long what was sent may stay unconfirmed: a connection that is open on one side only is given up then.
const UNCONFIRMED: Duration = Duration::from_secs(10);

/// Where a database is and how it is spoken to. Its words never hold the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    config: Config,
    tls: Tls,
}

/// Whether the connection is encrypted; then the database's certificate is always checked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tls {
    Off,
    /// By the roots of this machine.
    Machine,
    /// By the roots of a file.
    Own(PathBuf),
}

impl Address {
    /// Whether a text is meant to be one.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Reads an address; `flag` is where it was given.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] that does not repeat the address, for a password may stand in it.
    pub fn parse(flag: &str, text: &str) -> Result<Self> {
        let wrong = |problem: &str, allowed: &str| Error::InvalidParam {
            field: flag.to_owned(),
            received: String::new(),
            problem: problem.to_owned(),
            allowed: allowed.to_owned(),
        };
        let (front, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", value)) => {
                    let path = percent_encoding::percent_decode_str(value).decode_utf8_lossy();
                    roots = Some(PathBuf::from(path.into_owned()));
                }
                _ => rest.push(pair),
            }
        }
        let mut config: Config = format!("{front}?{}", rest.join("&"))
            .parse()
            .map_err(|_| wrong("the address of the database cannot be read", FORM))?;
        if config.get_hosts().is_empty() || config.get_user().is_none() {
            return Err(wrong("the address names no host or no user", FORM));
        }
        let encrypted = || roots.clone().map_or(Tls::Machine, Tls::Own);
        let tls = match mode {
            Some("disable") => Tls::Off,
            Some("require" | "verify-full") => encrypted(),
            None if roots.is_none() && config.get_hosts().iter().all(is_here) => Tls::Off,
            None => encrypted(),
            Some(_) => {
                let allowed = "disable; require or verify-full, which are the same here: encrypted, and the \
                     certificate is checked";
                return Err(wrong("this sslmode is not known", allowed));
            }
        };
        config
            .ssl_mode(if tls == Tls::Off {
                SslMode::Disable
            } else {
                SslMode::Require
            })
            .connect_timeout(CONNECT)
            .tcp_user_timeout(UNCONFIRMED)
            .keepalives_idle(UNCONFIRMED)
            .keepalives_interval(UNCONFIRMED / 4)
            .application_name("econoscope");
        Ok(Self { config, tls })
    }

    /// The same with this password, unless it has one.
    pub fn or_password(mut self, password: Option<String>) -> Self {
        if self.config.get_password().is_none()
            && let Some(password) = password
        {
            self.config.password(password);
        }
        self
    }

    /// What a connection is made of.
    pub(super) const fn config(&self) -> &Config {
        &self.config
    }

    /// What encrypts it.
    ///
    /// # Errors
    /// [`Error::Store`] when there are no roots to check a certificate by.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect> {
        crate::net::choose_tls();
        let empty = || ClientConfig::builder().with_root_certificates(RootCertStore::empty());
        let config = match &self.tls {
            Tls::Off => empty().with_no_client_auth(),
            Tls::Machine => ClientConfig::with_platform_verifier()
                .map_err(|e| Error::store("this machine has no certificates to trust.", e))?,
            Tls::Own(file) => {
                let say = || {
                    format!(
                        "cannot read the certificates of {}, which sslrootcert names.",
                        crate::disk::shown(file)
                    )
                };
                let found = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
                let found: Vec<_> = found.map_err(|e| Error::store(say(), e.to_string()))?;
                let mut roots = RootCertStore::empty();
                if roots.add_parsable_certificates(found).0 == 0 {
                    return Err(Error::store(say(), "there is none in it"));
                }
                ClientConfig::builder()
                    .with_root_certificates(roots)
                    .with_no_client_auth()
            }
        };
        Ok(MakeRustlsConnect::new(config))
    }
}

/// Whether no network lies between: nothing needs to be encrypted.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) if name == "localhost" => true,
        Host::Tcp(name) => name
            .parse()
            .is_ok_and(|address: std::net::IpAddr| address.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => crate::disk::shown(path),
        });
        let hosts: Vec<String> = hosts.collect();
        let user = self.config.get_user().unwrap_or_default();
        let name = self.config.get_dbname().unwrap_or(user);
        write!(f, "postgres://{user}@{}/{name}", hosts.join(","))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_of_an_address_has_no_password() {
        let text = "postgres://econ:s3cret@db.example.com:6432/facts?sslmode=require";
        let address = Address::parse("store", text).unwrap();
        assert_eq!(address.to_string(), "postgres://econ@db.example.com/facts");
        assert_eq!(format!("{address:?}"), address.to_string());
        assert_eq!(address.tls, Tls::Machine);
        for wrong in [
            "postgres://econ:s3cret@db/facts?sslmode=prefer",
            "postgres://econ:s3cret@db:port/facts",
            "postgres://econ:s3cret@db/facts?colour=blue",
            "postgres://db/facts",
        ] {
            let error = Address::parse("store", wrong).unwrap_err();
            let told = format!("{error} {error:?}");
            assert!(told.contains("store") && !told.contains("s3cret"), "{told}");
        }
    }

    #[test]
    fn only_what_leaves_the_machine_is_encrypted_unasked() {
        let tls = |text: &str| Address::parse("store", text).unwrap().tls;
        assert_eq!(tls("postgres://econ@localhost/facts"), Tls::Off);
        assert_eq!(tls("postgres://econ@[::1]/facts"), Tls::Off);
        assert_eq!(tls("postgres://econ@10.0.0.7/facts"), Tls::Machine);
        assert_eq!(tls("postgres://e@10.0.0.7/f?sslmode=disable"), Tls::Off);
        assert_eq!(
            tls("postgres://e@localhost/f?sslrootcert=%2Fetc%2Fca.pem"),
            Tls::Own("/etc/ca.pem".into())
        );
    }
}

//! Database addresses: `postgres://user:password@host:5432/name?sslmode=require`.

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

/// Time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long sent data may stay unacknowledged, which detects half-open connections.
const ACK_TIMEOUT: Duration = Duration::from_secs(10);

/// The address of a database and the TLS settings. It never prints the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// The settings of a connection.
    pub(super) config: Config,
    tls: Tls,
}

/// The TLS setting. The certificate of the database is always verified.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tls {
    Off,
    /// With the root certificates of this machine.
    SystemRoots,
    /// With the root certificates of a file.
    RootFile(PathBuf),
}

impl Address {
    /// Returns whether a text has the scheme of an address.
    pub fn has_scheme(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Parses an address. `flag` names the setting in errors.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] without the address, which may contain a password.
    pub fn parse(flag: &str, text: &str) -> Result<Self> {
        let invalid = |problem: &str, allowed: &str| Error::InvalidParam {
            field: flag.to_owned(),
            received: String::new(),
            problem: problem.to_owned(),
            allowed: allowed.to_owned(),
        };
        let (front, query) = text.split_once('?').unwrap_or((text, ""));
        let mut mode = None;
        let mut roots = None;
        let mut rest = Vec::new();
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
            .map_err(|_| invalid("the address of the database cannot be read", FORM))?;
        if config.get_hosts().is_empty() || config.get_user().is_none() {
            return Err(invalid("the address names no host or no user", FORM));
        }
        let encrypted = || roots.clone().map_or(Tls::SystemRoots, Tls::RootFile);
        let tls = match mode {
            Some("disable") => Tls::Off,
            Some("require" | "verify-full") => encrypted(),
            None if roots.is_none() && config.get_hosts().iter().all(is_local) => Tls::Off,
            None => encrypted(),
            Some(_) => {
                let allowed = "disable; require or verify-full, which are the same here: encrypted, and the \
                     certificate is checked";
                return Err(invalid("this sslmode is not known", allowed));
            }
        };
        config
            .ssl_mode(if tls == Tls::Off {
                SslMode::Disable
            } else {
                SslMode::Require
            })
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(ACK_TIMEOUT)
            .keepalives_idle(ACK_TIMEOUT)
            .keepalives_interval(ACK_TIMEOUT / 4)
            .application_name("econoscope");
        Ok(Self { config, tls })
    }

    /// Adds a password unless the address has one.
    pub fn with_default_password(mut self, password: Option<String>) -> Self {
        if self.config.get_password().is_none()
            && let Some(password) = password
        {
            self.config.password(password);
        }
        self
    }

    /// Returns the TLS connector.
    ///
    /// # Errors
    /// [`Error::Store`] when there are no root certificates.
    pub(super) fn tls(&self) -> Result<MakeRustlsConnect> {
        crate::net::install_tls_provider();
        let with_roots = |roots| {
            ClientConfig::builder()
                .with_root_certificates(roots)
                .with_no_client_auth()
        };
        let config = match &self.tls {
            Tls::Off => with_roots(RootCertStore::empty()),
            Tls::SystemRoots => ClientConfig::with_platform_verifier()
                .map_err(|e| Error::store("this machine has no certificates to trust.", e))?,
            Tls::RootFile(file) => {
                let fail = |cause: String| {
                    let file = crate::disk::format_path(file);
                    let problem = "cannot read the certificates of";
                    Error::store(format!("{problem} {file}, which sslrootcert names."), cause)
                };
                let certificates = CertificateDer::pem_file_iter(file)
                    .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
                    .map_err(|e| fail(e.to_string()))?;
                let mut roots = RootCertStore::empty();
                if roots.add_parsable_certificates(certificates).0 == 0 {
                    return Err(fail("there is none in it".to_owned()));
                }
                with_roots(roots)
            }
        };
        Ok(MakeRustlsConnect::new(config))
    }
}

/// Returns whether a host is this machine, so that nothing needs to be encrypted.
fn is_local(host: &Host) -> bool {
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
        let hosts: Vec<String> = self
            .config
            .get_hosts()
            .iter()
            .map(|host| match host {
                Host::Tcp(name) => name.clone(),
                #[cfg(unix)]
                Host::Unix(path) => crate::disk::format_path(path),
            })
            .collect();
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
    fn printed_addresses_have_no_password() {
        let text = "postgres://econ:s3cret@db.example.com:6432/facts?sslmode=require";
        let address = Address::parse("store", text).unwrap();
        assert_eq!(address.to_string(), "postgres://econ@db.example.com/facts");
        assert_eq!(format!("{address:?}"), address.to_string());
        assert_eq!(address.tls, Tls::SystemRoots);
        for wrong in [
            "postgres://econ:s3cret@db/facts?sslmode=prefer",
            "postgres://econ:s3cret@db:port/facts",
            "postgres://econ:s3cret@db/facts?colour=blue",
            "postgres://db/facts",
        ] {
            let error = Address::parse("store", wrong).unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(text.contains("store") && !text.contains("s3cret"), "{text}");
        }
    }

    #[test]
    fn only_remote_addresses_are_encrypted_by_default() {
        let tls = |text: &str| Address::parse("store", text).unwrap().tls;
        assert_eq!(tls("postgres://econ@localhost/facts"), Tls::Off);
        assert_eq!(tls("postgres://econ@[::1]/facts"), Tls::Off);
        assert_eq!(tls("postgres://econ@10.0.0.7/facts"), Tls::SystemRoots);
        assert_eq!(tls("postgres://e@10.0.0.7/f?sslmode=disable"), Tls::Off);
        assert_eq!(
            tls("postgres://e@localhost/f?sslrootcert=%2Fetc%2Fca.pem"),
            Tls::RootFile("/etc/ca.pem".into())
        );
    }
}

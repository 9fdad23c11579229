//! Why an encrypted connection was refused, in words that say what to do.

use rustls::{CertificateError, Error as TlsError};
use std::error::Error;
use std::io;
use std::sync::Arc;

/// What is wrong with the certificate or the encryption of who was asked, to follow its name; `None` when the error is
/// about something else. `trust` says how to trust another certificate authority.
pub fn problem(error: &(dyn Error + 'static), trust: &str) -> Option<String> {
    let found = std::iter::successors(Some(error), |error| cause(*error))
        .find_map(|error| error.downcast_ref::<TlsError>())?;
    let TlsError::InvalidCertificate(refused) = found else {
        let is_plain = matches!(found, TlsError::InvalidMessage(_));
        return Some(match is_plain {
            true => "it does not answer in TLS. Check its port and whether it has TLS".to_owned(),
            false => format!("no encrypted connection can be made ({found})"),
        });
    };
    use CertificateError as E;
    let advice = if matches!(refused, E::UnknownIssuer) {
        return Some(format!(
            "its certificate is of an authority that this machine does not trust. {trust}"
        ));
    } else if matches!(refused, E::Expired | E::ExpiredContext { .. }) {
        "its certificate has expired. Renew it there, or correct this machine's clock"
    } else if matches!(refused, E::NotValidYet | E::NotValidYetContext { .. }) {
        "its certificate is not valid yet. Check the clocks of both machines"
    } else if matches!(
        refused,
        E::NotValidForName | E::NotValidForNameContext { .. }
    ) {
        "its certificate is for another host. Use a name that the certificate lists"
    } else {
        "its certificate is refused"
    };
    Some(format!("{advice} ({refused})"))
}

/// The cause of an error, also where the standard library leaves it out of the chain: the content of an I/O error.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.get_ref().map(|inner| inner as &dyn Error);
    }
    match error.downcast_ref::<Arc<dyn Error + Send + Sync>>() {
        Some(shared) => Some(&**shared),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_certificate_is_named_however_deep_it_lies() {
        let table = [
            (CertificateError::Expired, "expired"),
            (CertificateError::NotValidYet, "not valid yet"),
            (CertificateError::NotValidForName, "another host"),
            (CertificateError::UnknownIssuer, "TRUST ME"),
            (CertificateError::BadSignature, "refused"),
        ];
        for (refused, word) in table {
            let inner = io::Error::other(TlsError::InvalidCertificate(refused));
            let shared: Arc<dyn Error + Send + Sync> = Arc::new(io::Error::other(inner));
            let told = problem(&shared, "TRUST ME").unwrap();
            assert!(told.contains(word), "{told}");
        }
        let plain = TlsError::InvalidMessage(rustls::InvalidMessage::InvalidContentType);
        let told = problem(&io::Error::other(plain), "").unwrap();
        assert!(told.contains("does not answer in TLS"), "{told}");
    }

    #[test]
    fn other_errors_are_not_about_encryption() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(problem(&refused, ""), None);
        assert_eq!(problem(&io::Error::other("server closed"), ""), None);
    }
}

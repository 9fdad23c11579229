//! Error messages for failed TLS connections.

use rustls::{CertificateError, Error as TlsError};
use std::error::Error;
use std::io;
use std::sync::Arc;

/// Describes a TLS error, as a clause that follows the name of the host; `None` for any other error. `trust` says how
/// to trust another certificate authority.
pub fn describe_error(error: &(dyn Error + 'static), trust: &str) -> Option<String> {
    let tls_error = std::iter::successors(Some(error), |error| cause(*error))
        .find_map(|error| error.downcast_ref::<TlsError>())?;
    let TlsError::InvalidCertificate(certificate_error) = tls_error else {
        return Some(if matches!(tls_error, TlsError::InvalidMessage(_)) {
            "it does not answer in TLS. Check its port and whether it has TLS".to_owned()
        } else {
            format!("no encrypted connection can be made ({tls_error})")
        });
    };
    use CertificateError as E;
    let advice = if matches!(certificate_error, E::UnknownIssuer) {
        return Some(format!(
            "its certificate is of an authority that this machine does not trust. {trust}"
        ));
    } else if matches!(certificate_error, E::Expired | E::ExpiredContext { .. }) {
        "its certificate has expired. Renew it there, or correct this machine's clock"
    } else if matches!(
        certificate_error,
        E::NotValidYet | E::NotValidYetContext { .. }
    ) {
        "its certificate is not valid yet. Check the clocks of both machines"
    } else if matches!(
        certificate_error,
        E::NotValidForName | E::NotValidForNameContext { .. }
    ) {
        "its certificate is for another host. Use a name that the certificate lists"
    } else {
        "its certificate is refused"
    };
    Some(format!("{advice} ({certificate_error})"))
}

/// Returns the cause of an error, including the content of an I/O error, which [`Error::source`] leaves out.
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
    fn nested_certificate_error_is_found() {
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
            let description = describe_error(&shared, "TRUST ME").unwrap();
            assert!(description.contains(word), "{description}");
        }
        let plain = TlsError::InvalidMessage(rustls::InvalidMessage::InvalidContentType);
        let description = describe_error(&io::Error::other(plain), "").unwrap();
        assert!(
            description.contains("does not answer in TLS"),
            "{description}"
        );
    }

    #[test]
    fn other_errors_give_no_description() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert_eq!(describe_error(&refused, ""), None);
        assert_eq!(describe_error(&io::Error::other("server closed"), ""), None);
    }
}

//! A body with its compressed forms. Each form is made on the first request and then shared.

use bytes::Bytes;
use econoscope_core::error::{Error, Result};
use econoscope_data::pool::{Pool, SingleFlight};
use sha2::Digest;
use std::io::Write;
use std::sync::{Arc, OnceLock};

/// A content encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Uncompressed.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Encoding {
    /// Returns the value of `Content-Encoding`; `None` for identity, which has no header.
    pub fn token(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

/// Bytes with a validator and compressed copies.
#[derive(Debug)]
pub struct Body {
    bytes: Bytes,
    hash: OnceLock<Box<str>>,
    gzip: OnceLock<Bytes>,
    zstd: OnceLock<Bytes>,
    in_flight: SingleFlight<Encoding, Bytes>,
}

impl Body {
    /// Wraps bytes that are not compressed yet.
    pub fn new(bytes: Bytes) -> Self {
        Self {
            bytes,
            hash: OnceLock::new(),
            gzip: OnceLock::new(),
            zstd: OnceLock::new(),
            in_flight: SingleFlight::default(),
        }
    }

    /// The uncompressed bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the strong validator of one form, quoted: a hash of the bytes, and the encoding, since forms differ byte by
    /// byte.
    pub fn etag(&self, encoding: Encoding) -> String {
        let hash = self.hash.get_or_init(|| {
            let hash = sha2::Sha256::digest(&self.bytes);
            hash.iter().take(12).map(|b| format!("{b:02x}")).collect()
        });
        match encoding.token() {
            None => format!("\"{hash}\""),
            Some(token) => format!("\"{hash}-{token}\""),
        }
    }

    /// Returns the bytes in one form. The first call compresses them in the pool; concurrent calls wait for it.
    ///
    /// # Errors
    /// [`Error::Busy`] when the queue of the pool is full, [`Error::Internal`] when a compressor fails.
    pub async fn encoded(self: &Arc<Self>, encoding: Encoding, pool: &Pool) -> Result<Bytes> {
        let Some(form) = self.form(encoding) else {
            return Ok(self.bytes.clone());
        };
        if let Some(bytes) = form.get() {
            return Ok(bytes.clone());
        }
        let this = Arc::clone(self);
        let work = move || {
            let bytes = compress(&this.bytes, encoding)
                .map_err(|e| Error::internal("compressing an answer", e))?;
            Ok(match this.form(encoding) {
                Some(form) => form.get_or_init(|| bytes).clone(),
                None => bytes,
            })
        };
        let cached = || form.get().cloned();
        self.in_flight.run(pool, encoding, cached, work).await
    }

    /// The cell of a compressed form; `None` for identity.
    fn form(&self, encoding: Encoding) -> Option<&OnceLock<Bytes>> {
        match encoding {
            Encoding::Identity => None,
            Encoding::Gzip => Some(&self.gzip),
            Encoding::Zstd => Some(&self.zstd),
        }
    }
}

/// Compresses at the cheapest levels with small results: on rows of figures the default levels cost up to four times as
/// much and save nothing.
fn compress(bytes: &[u8], encoding: Encoding) -> std::io::Result<Bytes> {
    let out = match encoding {
        Encoding::Identity => bytes.to_vec(),
        Encoding::Gzip => {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(4));
            writer.write_all(bytes)?;
            writer.finish()?
        }
        Encoding::Zstd => zstd::bulk::compress(bytes, 6)?,
    };
    Ok(Bytes::from(out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn text() -> Bytes {
        Bytes::from("2026-01-01,4.25\n".repeat(500))
    }

    #[tokio::test]
    async fn every_form_decodes_to_the_same_bytes() {
        let pool = Pool::default();
        let body = Arc::new(Body::new(text()));
        let gzip = body.encoded(Encoding::Gzip, &pool).await.unwrap();
        let mut decoded = Vec::new();
        flate2::read::GzDecoder::new(&*gzip)
            .read_to_end(&mut decoded)
            .unwrap();
        assert_eq!(decoded, text());
        let zstd = body.encoded(Encoding::Zstd, &pool).await.unwrap();
        assert_eq!(zstd::bulk::decompress(&zstd, 1 << 20).unwrap(), text());
        assert_eq!(
            body.encoded(Encoding::Identity, &pool).await.unwrap(),
            text()
        );
    }

    #[tokio::test]
    async fn concurrent_callers_share_one_compression() {
        let pool = Arc::new(Pool::default());
        let body = Arc::new(Body::new(text()));
        let calls = (0..100).map(|_| {
            let pool = Arc::clone(&pool);
            let body = Arc::clone(&body);
            tokio::spawn(async move { body.encoded(Encoding::Gzip, &pool).await.unwrap() })
        });
        let mut addresses = std::collections::HashSet::new();
        for answer in calls.collect::<Vec<_>>() {
            addresses.insert(answer.await.unwrap().as_ptr() as usize);
        }
        assert_eq!(addresses.len(), 1, "one allocation is shared by all");
    }

    #[test]
    fn each_form_has_its_own_validator() {
        let body = Body::new(text());
        let plain = body.etag(Encoding::Identity);
        assert!(plain.starts_with('"') && plain.ends_with('"') && plain.len() == 26);
        assert_eq!(
            body.etag(Encoding::Gzip),
            format!("{}-gzip\"", plain.trim_end_matches('"'))
        );
        assert_ne!(
            plain,
            Body::new(Bytes::from_static(b"x")).etag(Encoding::Identity)
        );
    }
}

//! A body with its compressed forms: each is made once, when it is first asked for, and then shared.

use bytes::Bytes;
use econoscope_core::error::{Error, Result};
use econoscope_data::pool::{Pool, SingleFlight};
use sha2::Digest;
use std::io::Write;
use std::sync::{Arc, OnceLock};

/// How a body travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As it is.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Encoding {
    /// The word in `Content-Encoding`; none for identity, which has no header.
    pub fn token(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

/// Bytes that are served often, with a validator and compressed copies.
#[derive(Debug)]
pub struct Body {
    bytes: Bytes,
    hash: OnceLock<Box<str>>,
    /// gzip, zstd.
    forms: [OnceLock<Bytes>; 2],
    underway: SingleFlight<Encoding, Bytes>,
}

impl Body {
    /// A body that has not been compressed yet.
    pub fn new(bytes: Bytes) -> Self {
        Self {
            bytes,
            hash: OnceLock::new(),
            forms: Default::default(),
            underway: SingleFlight::default(),
        }
    }

    /// The bytes as they are.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Strong validator of one form, quoted: a hash of the bytes, and the encoding, for the forms differ byte by byte.
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

    /// The bytes in one form. The first caller has it made in the pool; who asks meanwhile waits for it.
    ///
    /// # Errors
    /// [`Error::Busy`] when there is more to compute than can wait, [`Error::Internal`] when a compressor fails.
    pub async fn encoded(self: &Arc<Self>, encoding: Encoding, pool: &Pool) -> Result<Bytes> {
        let Some(form) = self.form(encoding) else {
            return Ok(self.bytes.clone());
        };
        if let Some(made) = form.get() {
            return Ok(made.clone());
        }
        let this = Arc::clone(self);
        let work = move || {
            let made = compress(&this.bytes, encoding);
            let made = made.map_err(|e| Error::internal("compressing an answer", e))?;
            Ok(match this.form(encoding) {
                Some(form) => form.get_or_init(|| made).clone(),
                None => made,
            })
        };
        let held = || form.get().cloned();
        self.underway.run(pool, encoding, held, work).await
    }

    /// The place of a compressed form; the bytes as they are need none.
    fn form(&self, encoding: Encoding) -> Option<&OnceLock<Bytes>> {
        let [gzip, zstd] = &self.forms;
        match encoding {
            Encoding::Identity => None,
            Encoding::Gzip => Some(gzip),
            Encoding::Zstd => Some(zstd),
        }
    }
}

/// At levels that are the cheapest of those with small results: on rows of figures the usual ones cost up to four
/// times as much and save nothing.
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
    async fn every_form_holds_the_same_bytes() {
        let (pool, body) = (Pool::default(), Arc::new(Body::new(text())));
        let gzip = body.encoded(Encoding::Gzip, &pool).await.unwrap();
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(&*gzip)
            .read_to_end(&mut back)
            .unwrap();
        assert_eq!(back, text());
        let zstd = body.encoded(Encoding::Zstd, &pool).await.unwrap();
        assert_eq!(zstd::bulk::decompress(&zstd, 1 << 20).unwrap(), text());
        assert_eq!(
            body.encoded(Encoding::Identity, &pool).await.unwrap(),
            text()
        );
    }

    #[tokio::test]
    async fn a_form_is_made_once_and_shared() {
        let (pool, body) = (Arc::new(Pool::default()), Arc::new(Body::new(text())));
        let asked = (0..100).map(|_| {
            let (pool, body) = (Arc::clone(&pool), Arc::clone(&body));
            tokio::spawn(async move { body.encoded(Encoding::Gzip, &pool).await.unwrap() })
        });
        let mut addresses = std::collections::HashSet::new();
        for answer in asked.collect::<Vec<_>>() {
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

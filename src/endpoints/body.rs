//! A body with its compressed forms: each is made once, when it is first asked for, and then shared.

use crate::error::{Error, Result};
use bytes::Bytes;
use sha2::Digest;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use tokio::sync::OnceCell;

/// How a body travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As it is.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 7932.
    Brotli,
    /// RFC 8878.
    Zstd,
}

impl Encoding {
    /// The word in `Content-Encoding`; none for identity, which has no header.
    pub fn token(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
            Self::Zstd => Some("zstd"),
        }
    }
}

/// Bytes that are served often, with a validator and compressed copies.
#[derive(Debug)]
pub struct Body {
    bytes: Bytes,
    hash: OnceLock<Box<str>>,
    gzip: OnceCell<Bytes>,
    brotli: OnceCell<Bytes>,
    zstd: OnceCell<Bytes>,
}

impl Body {
    /// A body that has not been compressed yet.
    pub fn new(bytes: Bytes) -> Self {
        Self {
            bytes,
            hash: OnceLock::new(),
            gzip: OnceCell::new(),
            brotli: OnceCell::new(),
            zstd: OnceCell::new(),
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

    /// The bytes in one form. The first caller has it made on a thread of its own; who asks meanwhile waits for it.
    ///
    /// # Errors
    /// [`Error::Internal`] when a compressor fails.
    pub async fn encoded(self: &Arc<Self>, encoding: Encoding) -> Result<Bytes> {
        let cell = match encoding {
            Encoding::Identity => return Ok(self.bytes.clone()),
            Encoding::Gzip => &self.gzip,
            Encoding::Brotli => &self.brotli,
            Encoding::Zstd => &self.zstd,
        };
        let made = cell.get_or_try_init(|| async {
            let bytes = self.bytes.clone();
            tokio::task::spawn_blocking(move || compress(&bytes, encoding))
                .await
                .map_err(|e| Error::internal("compressing an answer", e))?
                .map_err(|e| Error::internal("compressing an answer", e))
        });
        made.await.cloned()
    }
}

fn compress(bytes: &[u8], encoding: Encoding) -> std::io::Result<Bytes> {
    let out = match encoding {
        Encoding::Identity => bytes.to_vec(),
        Encoding::Gzip => {
            let mut writer =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            writer.write_all(bytes)?;
            writer.finish()?
        }
        Encoding::Brotli => {
            let mut out = Vec::new();
            let settings = brotli::enc::BrotliEncoderParams {
                quality: 6,
                size_hint: bytes.len(),
                ..Default::default()
            };
            brotli::BrotliCompress(&mut &*bytes, &mut out, &settings)?;
            out
        }
        Encoding::Zstd => zstd::bulk::compress(bytes, 9)?,
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
        let body = Arc::new(Body::new(text()));
        let gzip = body.encoded(Encoding::Gzip).await.unwrap();
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(&*gzip)
            .read_to_end(&mut back)
            .unwrap();
        assert_eq!(back, text());
        let zstd = body.encoded(Encoding::Zstd).await.unwrap();
        assert_eq!(zstd::bulk::decompress(&zstd, 1 << 20).unwrap(), text());
        let brotli = body.encoded(Encoding::Brotli).await.unwrap();
        let mut back = Vec::new();
        brotli::Decompressor::new(&*brotli, 4096)
            .read_to_end(&mut back)
            .unwrap();
        assert_eq!(back, text());
        assert_eq!(body.encoded(Encoding::Identity).await.unwrap(), text());
    }

    #[tokio::test]
    async fn a_form_is_made_once_and_shared() {
        let body = Arc::new(Body::new(text()));
        let asked = (0..100).map(|_| {
            let body = Arc::clone(&body);
            tokio::spawn(async move { body.encoded(Encoding::Gzip).await.unwrap() })
        });
        let mut addresses = std::collections::HashSet::new();
        for one in asked.collect::<Vec<_>>() {
            addresses.insert(one.await.unwrap().as_ptr() as usize);
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

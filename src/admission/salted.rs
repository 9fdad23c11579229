//! Addresses under a key of the day: what is kept of them means nothing tomorrow.

use super::saved::{Key, Salt};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::net::IpAddr;

/// A day's key, ready to hash with.
#[derive(Clone)]
pub(super) struct Salted {
    pub(super) salt: Salt,
    mac: Hmac<Sha256>,
}

impl Salted {
    pub(super) fn with(salt: Salt) -> Self {
        Self {
            salt,
            // HMAC takes keys of any length; the empty key stands in for an error that cannot come.
            mac: Hmac::new_from_slice(&salt).unwrap_or_else(|_| Hmac::new(&Default::default())),
        }
    }

    /// What an address is counted under.
    pub(super) fn key(&self, address: IpAddr) -> Key {
        let mut mac = self.mac.clone();
        match address {
            IpAddr::V4(v4) => mac.update(&v4.octets()),
            IpAddr::V6(v6) => mac.update(&v6.octets()),
        }
        let full = mac.finalize().into_bytes();
        full.first_chunk().copied().unwrap_or_default()
    }
}

/// Random bytes from the system; a clock-and-address mix only if the system has none to give.
pub(super) fn fresh_salt() -> Salt {
    let mut salt = Salt::default();
    let random = rustls::crypto::ring::default_provider().secure_random;
    if random.fill(&mut salt).is_err() {
        use std::hash::BuildHasher;
        tracing::warn!(
            "the system gave no random bytes; hashed addresses are easier to guess today"
        );
        for (i, chunk) in salt.chunks_mut(8).enumerate() {
            let word = std::hash::RandomState::new().hash_one(i).to_le_bytes();
            chunk.copy_from_slice(word.get(..chunk.len()).unwrap_or_default());
        }
    }
    salt
}

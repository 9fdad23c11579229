//! How many frames of HTTP/2 a client may send beyond those that its requests need.
//!
//! Frames that ask for nothing (pings, settings, priorities, windows, resets, empty data) cost a microsecond or two
//! each and are charged to nobody, and the library under us sets no bound to most of them. So each costs a token;
//! time, requests, bodies that come and answers that are taken earn some.

/// Tokens at the start, and at most.
const MAX: i64 = 500;
/// Tokens a second: a ping every few seconds, windows and priorities of a browser at rest.
const PER_SECOND: u64 = 50;
/// Tokens a request: its head, a window, a priority, a reset.
const PER_REQUEST: u64 = 8;
/// Bytes of answers that earn a token: two windows for each kilobyte, where clients open one for 16.
const TAKEN_PER_TOKEN: u64 = 256;
/// Bytes of a body that comes that earn a token: smaller frames cost more than they bring.
const BODY_PER_TOKEN: i64 = 64;
/// Bytes of other frames that cost one token more.
const TALK_PER_TOKEN: i64 = 256;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEAD: usize = 9;
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;

/// Where in the stream of bytes we are.
#[derive(Debug, Clone, Copy)]
enum At {
    /// So many bytes of the preface have come.
    Preface(usize),
    /// No HTTP/2.
    Other,
    /// In the head of a frame, so many bytes of it.
    Head(usize),
    /// So many bytes of a payload are to come.
    Payload(usize),
}

/// The frames of one connection.
#[derive(Debug)]
pub(super) struct Frames {
    at: At,
    head: [u8; HEAD],
    tokens: i64,
    time: u64,
    earned: (u64, u64),
}

impl Frames {
    pub(super) const fn new() -> Self {
        Self {
            at: At::Preface(0),
            head: [0; HEAD],
            tokens: MAX,
            time: 0,
            earned: (0, 0),
        }
    }

    /// Whether these can be no frames of HTTP/2.
    pub(super) const fn is_other(&self) -> bool {
        matches!(self.at, At::Other)
    }

    /// Whether the preface has come whole.
    pub(super) const fn is_http2(&self) -> bool {
        matches!(self.at, At::Head(_) | At::Payload(_))
    }

    /// Bytes came; whether their frames are too many. `now` in milliseconds; `earned` as the pulse tells it.
    pub(super) fn are_too_many(&mut self, mut bytes: &[u8], now: u64, earned: (u64, u64)) -> bool {
        self.earn(now, earned);
        while !bytes.is_empty() && !self.is_other() {
            bytes = self.step(bytes);
        }
        self.tokens < 0
    }

    fn earn(&mut self, now: u64, earned: (u64, u64)) {
        let time = now.saturating_sub(self.time).saturating_mul(PER_SECOND) / 1_000;
        let requests = earned.0.saturating_sub(self.earned.0) * PER_REQUEST;
        let taken = earned.1.saturating_sub(self.earned.1) / TAKEN_PER_TOKEN;
        // What is too little for a token stays to be counted with the next.
        if time > 0 {
            self.time = now;
        }
        self.earned.0 = earned.0;
        self.earned.1 += taken * TAKEN_PER_TOKEN;
        let more = i64::try_from(time.saturating_add(requests).saturating_add(taken));
        self.tokens = self.tokens.saturating_add(more.unwrap_or(MAX)).min(MAX);
    }

    /// Takes what belongs together off the head of `bytes`.
    fn step<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match self.at {
            At::Other => &[],
            At::Preface(have) => {
                let wanted = PREFACE.get(have..).unwrap_or_default();
                let (now, rest) = bytes.split_at(wanted.len().min(bytes.len()));
                self.at = if !wanted.starts_with(now) {
                    At::Other
                } else if now.len() == wanted.len() {
                    At::Head(0)
                } else {
                    At::Preface(have + now.len())
                };
                rest
            }
            At::Head(have) => {
                let room = self.head.get_mut(have..).unwrap_or_default();
                let (now, rest) = bytes.split_at(room.len().min(bytes.len()));
                for (to, from) in room.iter_mut().zip(now) {
                    *to = *from;
                }
                self.at = At::Head(have + now.len());
                if have + now.len() == HEAD {
                    self.charge();
                }
                rest
            }
            At::Payload(left) => {
                let (now, rest) = bytes.split_at(left.min(bytes.len()));
                self.at = match left - now.len() {
                    0 => At::Head(0),
                    left => At::Payload(left),
                };
                rest
            }
        }
    }

    /// The head of a frame is whole.
    fn charge(&mut self) {
        let [a, b, c, kind, ..] = self.head;
        let length = u32::from_be_bytes([0, a, b, c]);
        let tokens = match kind {
            DATA => 1 - i64::from(length) / BODY_PER_TOKEN,
            HEADERS | CONTINUATION => 1,
            _ => 1 + i64::from(length) / TALK_PER_TOKEN,
        };
        self.tokens = self.tokens.saturating_sub(tokens).min(MAX);
        self.at = match usize::try_from(length) {
            Ok(0) => At::Head(0),
            Ok(length) => At::Payload(length),
            Err(_) => At::Other,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, length: u8) -> Vec<u8> {
        let mut bytes = vec![0, 0, length, kind, 0, 0, 0, 0, 0];
        bytes.extend(std::iter::repeat_n(0, length.into()));
        bytes
    }

    fn opened() -> Frames {
        let mut frames = Frames::new();
        assert!(!frames.are_too_many(PREFACE, 1, (0, 0)) && frames.is_http2());
        frames
    }

    #[test]
    fn talk_is_bounded_and_work_earns_it() {
        const PING: u8 = 6;
        let mut frames = opened();
        for _ in 0..500 {
            assert!(!frames.are_too_many(&frame(PING, 8), 1, (0, 0)));
        }
        assert!(frames.are_too_many(&frame(PING, 8), 1, (0, 0)));
        let mut frames = opened();
        for second in 1..1_000 {
            for _ in 0..50 {
                assert!(!frames.are_too_many(&frame(PING, 8), second * 1_000, (0, 0)));
            }
        }
        let mut frames = opened();
        for requests in 1..10_000 {
            for _ in 0..8 {
                assert!(!frames.are_too_many(&frame(HEADERS, 50), 1, (requests, 0)));
            }
        }
        let mut frames = opened();
        for taken in 1..10_000 {
            assert!(!frames.are_too_many(&frame(8, 4), 1, (1, taken * 256)));
        }
        let mut frames = opened();
        for _ in 0..10_000 {
            assert!(!frames.are_too_many(&frame(DATA, 64), 1, (1, 0)));
        }
        let empty = frame(DATA, 0).repeat(501);
        assert!(frames.are_too_many(&empty, 1, (1, 0)));
    }

    #[test]
    fn bytes_may_come_one_by_one_and_other_protocols_pass() {
        let mut frames = Frames::new();
        let mut all = PREFACE.to_vec();
        all.extend(frame(6, 8).repeat(501));
        let many = all
            .iter()
            .position(|byte| frames.are_too_many(&[*byte], 1, (0, 0)));
        assert_eq!(many, Some(24 + 500 * 17 + 8), "at the last head");
        let mut frames = Frames::new();
        assert!(!frames.are_too_many(b"PR", 1, (0, 0)) && !frames.is_other());
        assert!(!frames.are_too_many(b"OPFIND / HTTP/1.1", 1, (0, 0)) && frames.is_other());
    }
}

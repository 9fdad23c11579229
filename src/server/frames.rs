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

/// What HTTP/2 begins with.
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
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
    /// In the head of a frame: so many bytes of it, and these.
    Head(usize, u128),
    /// So many bytes of a payload are to come.
    Payload(usize),
}

/// The frames of one connection.
#[derive(Debug)]
pub(super) struct Frames {
    at: At,
    tokens: i64,
    time: u64,
    earned: (u64, u64),
}

impl Default for Frames {
    fn default() -> Self {
        Self {
            at: At::Preface(0),
            tokens: MAX,
            time: 0,
            earned: (0, 0),
        }
    }
}

impl Frames {
    /// Whether these are frames of HTTP/2: the preface has come whole.
    pub(super) const fn are_http2(&self) -> bool {
        matches!(self.at, At::Head(..) | At::Payload(_))
    }

    /// Whether more came than was earned.
    pub(super) const fn are_too_many(&self) -> bool {
        self.tokens < 0
    }

    /// Bytes came. `now` in milliseconds; `earned` are the requests so far, and the bytes of answers that were taken.
    pub(super) fn read(&mut self, mut bytes: &[u8], now: u64, earned: (u64, u64)) {
        if matches!(self.at, At::Other) {
            return;
        }
        self.earn(now, earned);
        while let [byte, after @ ..] = bytes {
            (self.at, bytes) = match self.at {
                At::Other => return,
                At::Preface(have) if PREFACE.get(have) != Some(byte) => (At::Other, after),
                At::Preface(have) if have + 1 < PREFACE.len() => (At::Preface(have + 1), after),
                At::Preface(_) => (At::Head(0, 0), after),
                At::Head(have, head) if have + 1 < HEAD => {
                    (At::Head(have + 1, head << 8 | u128::from(*byte)), after)
                }
                At::Head(_, head) => (self.charge(head << 8 | u128::from(*byte)), after),
                At::Payload(left) => match bytes.split_at_checked(left) {
                    Some((_, after)) => (At::Head(0, 0), after),
                    None => (At::Payload(left - bytes.len()), Default::default()),
                },
            };
        }
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

    /// Charges for a frame by its head; what follows that.
    fn charge(&mut self, head: u128) -> At {
        let [.., a, b, c, kind, _, _, _, _, _] = head.to_be_bytes();
        let length = u32::from_be_bytes([0, a, b, c]);
        let tokens = match kind {
            DATA => 1 - i64::from(length) / BODY_PER_TOKEN,
            HEADERS | CONTINUATION => 1,
            _ => 1 + i64::from(length) / TALK_PER_TOKEN,
        };
        self.tokens = self.tokens.saturating_sub(tokens).min(MAX);
        usize::try_from(length).map_or(At::Other, At::Payload)
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

    /// Whether the frames are too many with these bytes.
    fn read(frames: &mut Frames, bytes: &[u8], now: u64, earned: (u64, u64)) -> bool {
        frames.read(bytes, now, earned);
        frames.are_too_many()
    }

    fn opened() -> Frames {
        let mut frames = Frames::default();
        assert!(!read(&mut frames, PREFACE, 1, (0, 0)) && frames.are_http2());
        frames
    }

    #[test]
    fn talk_is_bounded_and_work_earns_it() {
        const PING: u8 = 6;
        let mut frames = opened();
        for _ in 0..500 {
            assert!(!read(&mut frames, &frame(PING, 8), 1, (0, 0)));
        }
        assert!(read(&mut frames, &frame(PING, 8), 1, (0, 0)));
        let mut frames = opened();
        for second in 1..1_000 {
            for _ in 0..50 {
                assert!(!read(&mut frames, &frame(PING, 8), second * 1_000, (0, 0)));
            }
        }
        let mut frames = opened();
        for requests in 1..10_000 {
            for _ in 0..8 {
                assert!(!read(&mut frames, &frame(HEADERS, 50), 1, (requests, 0)));
            }
        }
        let mut frames = opened();
        for taken in 1..10_000 {
            assert!(!read(&mut frames, &frame(8, 4), 1, (1, taken * 256)));
        }
        let mut frames = opened();
        for _ in 0..10_000 {
            assert!(!read(&mut frames, &frame(DATA, 64), 1, (1, 0)));
        }
        let empty = frame(DATA, 0).repeat(501);
        assert!(read(&mut frames, &empty, 1, (1, 0)));
    }

    #[test]
    fn bytes_may_come_one_by_one_and_other_protocols_pass() {
        let mut frames = Frames::default();
        let mut all = PREFACE.to_vec();
        all.extend(frame(6, 8).repeat(501));
        let many = all
            .iter()
            .position(|byte| read(&mut frames, &[*byte], 1, (0, 0)));
        assert_eq!(many, Some(24 + 500 * 17 + 8), "at the last head");
        let mut frames = Frames::default();
        assert!(!read(&mut frames, b"PR", 1, (0, 0)) && !matches!(frames.at, At::Other));
        assert!(
            !read(&mut frames, b"OPFIND / HTTP/1.1", 1, (0, 0)) && matches!(frames.at, At::Other)
        );
    }
}

"""HTTP/2 frames by hand, for readers that no library would be: windows of nothing, endless control frames."""
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW = 4


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def setting(name, value):
    return struct.pack(">HI", name, value)


def opening(window=65_535):
    """The first bytes of a client that lets each stream send `window` bytes."""
    return PREFACE + frame(SETTINGS, payload=setting(INITIAL_WINDOW, window))


def literal(name, value):
    """A header without indexing and without Huffman; both shorter than 127 bytes."""
    return b"\x00" + bytes((len(name),)) + name + bytes((len(value),)) + value


def get(path, stream, method=b"GET", flags=END_STREAM | END_HEADERS):
    head = literal(b":method", method) + literal(b":scheme", b"http") + literal(b":path", path) + literal(b":authority", b"localhost")
    return frame(HEADERS, flags, stream, head)


def ping(payload=b"12345678", flags=0):
    return frame(PING, flags, 0, payload)


def window(stream, more):
    return frame(WINDOW, 0, stream, struct.pack(">I", more))


def frames(data):
    """Whole frames at the head of `data` as (kind, flags, stream, payload), and what is left."""
    found = []
    while len(data) >= 9:
        length = int.from_bytes(data[:3], "big")
        if len(data) < 9 + length:
            break
        found.append((data[3], data[4], int.from_bytes(data[5:9], "big"), data[9:9 + length]))
        data = data[9 + length:]
    return found, data

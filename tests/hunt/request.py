"""A request that can be written down in a line, sent, and varied: what the hunter, the hostile callers and the soak share.

A line of `seeds.jsonl` is {"method", "path"} with "headers" and "body" where there are some. A body is JSON, or a text
sent as it is; {"times": 7400, "of": "macro://series/none{}"} in it stands for so many numbered texts in a list, and
{"times": 900, "text": "["} for a text repeated, or the file would be megabytes.
"""
import json, pathlib, re, socket, urllib.parse

SEEDS = pathlib.Path(__file__).with_name("seeds.jsonl")
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "hunt", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Request:
    def __init__(self, method, path, body=None, headers=None):
        self.method, self.path, self.body, self.headers = method, path, body, headers or {}

    def line(self):
        whole = {"method": self.method, "path": self.path, "headers": self.headers, "body": self.body}
        return json.dumps({k: v for k, v in whole.items() if v not in (None, {})}, ensure_ascii=False)

    def raw(self, more=""):
        """The bytes; `more` are header lines besides."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "host: localhost"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.body is None:
            return ("\r\n".join(lines) + f"\r\n{more}\r\n").encode()
        body = expanded(self.body)
        sent = (body if isinstance(body, str) else json.dumps(body)).encode()
        lines += ["content-type: application/json", "accept: application/json, text/event-stream"]
        lines += modern_headers(body)
        return ("\r\n".join(lines) + f"\r\n{more}content-length: {len(sent)}\r\n\r\n").encode() + sent

    def listens(self):
        """Whether the answer is a stream without end."""
        return isinstance(self.body, dict) and self.body.get("method") == "subscriptions/listen"

    def words(self, most=160):
        """For a table."""
        if self.body is None:
            more = "".join(f" ({k}: {v})" for k, v in self.headers.items())
            text = f"{self.method} {urllib.parse.unquote(self.path)}{more}"
        elif isinstance(self.body, dict) and "method" in self.body:
            params = {k: v for k, v in (self.body.get("params") or {}).items() if k != "_meta"}
            text = f"{self.body.get('method')} {json.dumps(params, ensure_ascii=False)}"
        else:
            text = f"{self.method} {self.path} {json.dumps(self.body)}"
        return text if len(text) <= most else text[:most] + f" … ({len(text)} characters)"


def modern_headers(body):
    """What 2026-07-28 wants said in headers, too."""
    params = body.get("params") if isinstance(body, dict) else None
    if not isinstance(params, dict) or "_meta" not in params:
        return []
    name = params.get("name") or params.get("uri")
    lines = [f"mcp-protocol-version: {MODERN}", f"mcp-method: {body['method']}"]
    return lines + ([f"mcp-name: {urllib.parse.quote(name, safe=':/?=,&.- ')}"] if name else [])


def rpc(method, params=None, modern=False):
    params = dict(params or {})
    if modern:
        params["_meta"] = META
    return Request("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def expanded(value):
    """A body with its short forms written out."""
    if isinstance(value, dict):
        if set(value) == {"times", "text"}:
            return value["text"] * value["times"]
        return {k: expanded(v) for k, v in value.items()}
    if isinstance(value, list):
        out = []
        for one in value:
            if isinstance(one, dict) and set(one) == {"times", "of"}:
                out += [one["of"].replace("{}", str(n)) for n in range(one["times"])]
            else:
                out.append(expanded(one))
        return out
    return value


def read(line):
    kept = json.loads(line)
    return Request(kept["method"], kept["path"], kept.get("body"), kept.get("headers"))


def seeds(path=SEEDS):
    path = pathlib.Path(path)
    return [read(line) for line in path.read_text().splitlines() if line.strip()] if path.exists() else []


# What changes no price: the case of letters in names, a day in a date, a last word of nonsense in a search.
DAY = re.compile(r"\b(19|20)\d\d-[01]\d-[0-3]\d\b")


def varied(request, n):
    """The same request to a reader, another one to every cache: the n-th of thousands that cost as much."""
    if isinstance(request.body, dict) and "method" in request.body:
        params = dict(request.body.get("params") or {})
        for name in ("arguments", "uri"):
            if name in params:
                params[name] = variant(params[name], n)
        return Request(request.method, request.path, {**request.body, "id": n, "params": params}, request.headers)
    if request.body is not None:
        return request
    path, mark, query = request.path.partition("?")
    pairs = [(k, variant(v, n, k)) for k, v in urllib.parse.parse_qsl(query, keep_blank_values=True)]
    head, slash, last = path.rpartition("/")
    if not path.startswith("/api/"):
        pairs.append((f"n{n}", ""))
    if re.search(r"/(metrics|metric|data|chart)/[^/]*$", path):
        last = toggled(last.partition(".")[0], n) + "".join(last.partition(".")[1:])
    query = urllib.parse.urlencode(pairs)
    return Request(request.method, head + slash + last + ("?" + query if query else ""), None, request.headers)


def variant(value, n, key=""):
    if isinstance(value, dict):
        return {k: variant(v, n, k) for k, v in value.items()}
    if isinstance(value, list):
        return [variant(v, n, key) for v in value]
    if not isinstance(value, str):
        return value
    if DAY.search(value):
        return DAY.sub(lambda found: another_day(found[0], n, key == "as_of"), value)
    if key in ("q", "query", "value"):
        return (value[:-4] + f"{n % 10000:04}") if len(value) > 8 else value
    return toggled(value, n) if key in ("series", "seriesId", "ticker") else value


def another_day(day, n, is_later):
    """A day of the same year; or of any year since, where one more year costs no less."""
    year = int(day[:4])
    if is_later:
        year += n % max(1, 2026 - year)
        n //= 7
    return f"{min(year, 2025)}-{n % 12 + 1:02}-{n // 12 % 28 + 1:02}"


def toggled(text, n):
    """Letters in capitals or not, as the bits of n say."""
    out = []
    for letter in text:
        if letter.isascii() and letter.isalpha():
            letter = letter.upper() if n & 1 else letter.lower()
            n >>= 1
        out.append(letter)
    return "".join(out)


class Wire:
    """One kept connection; whole answers are read and only counted."""

    def __init__(self, port, limit=120):
        self.port, self.limit, self.socket, self.data = port, limit, None, b""

    def ask(self, request):
        """Status, headers and length of the body; of a stream what comes first."""
        try:
            return self.exchange(request)
        except ConnectionError:
            self.close()
            return self.exchange(request)

    def exchange(self, request):
        if self.socket is None:
            self.socket, self.data = socket.create_connection(("127.0.0.1", self.port), timeout=self.limit), b""
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(request.raw())
        while b"\r\n\r\n" not in self.data:
            self.more()
        head, _, self.data = self.data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines if ": " in line)}
        length = 0 if request.method == "HEAD" else self.body(headers, request.listens())
        if headers.get("connection") == "close" or (request.listens() and "content-length" not in headers):
            self.close()
        return int(first.split()[1]), headers, length

    def body(self, headers, listens):
        if "content-length" in headers:
            return self.skip(int(headers["content-length"]))
        if "transfer-encoding" not in headers:
            return 0
        length = 0
        while True:
            while b"\r\n" not in self.data:
                self.more()
            size, _, self.data = self.data.partition(b"\r\n")
            length += int(size, 16)
            self.skip(int(size, 16) + 2)
            if int(size, 16) == 0 or listens:
                return length

    def skip(self, length):
        self.last = b""
        while len(self.data) < length:
            self.more()
        self.last, self.data = self.data[:length], self.data[length:]
        return length

    def more(self):
        part = self.socket.recv(1 << 18)
        if not part:
            raise ConnectionError("the server closed")
        self.data += part

    def close(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None

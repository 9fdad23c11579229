//! A server that runs: how it ends, what it leaves on disk, what it logs.

use super::{clean, command, text};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A server on a free port, once it is ready.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(mut command: Command) -> Self {
        let free = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let address = free.to_string();
        let mut server = Self {
            child: command
                .args(["serve", "--no-sync", "--listen", &address])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn()
                .unwrap(),
            address,
        };
        let start = Instant::now();
        while server
            .get("/ready")
            .is_none_or(|text| !text.starts_with("HTTP/1.1 200"))
        {
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "it does not get ready"
            );
            assert!(server.child.try_wait().unwrap().is_none(), "it has ended");
            sleep(Duration::from_millis(20));
        }
        server
    }

    fn get(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        let asked = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(asked.as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text)
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &id])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    fn ended(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().unwrap_or_default();
    }
}

#[test]
fn stop_signal_drains_and_a_second_one_ends_at_once() {
    let home = tempfile::tempdir().unwrap();
    for name in ["TERM", "INT", "QUIT"] {
        let mut server = Server::start(command(home.path()));
        server.signal(name);
        assert_eq!(server.ended().code(), Some(0), "{name} drains");

        let mut slow = command(home.path());
        slow.env("ECONOSCOPE_DRAIN_DELAY", "60");
        let mut server = Server::start(slow);
        server.signal(name);
        while server
            .get("/ready")
            .is_some_and(|text| text.starts_with("HTTP/1.1 200"))
        {
            sleep(Duration::from_millis(10));
        }
        let ready = server.get("/ready").unwrap();
        assert!(ready.starts_with("HTTP/1.1 503"), "{name}: {ready}");
        server.signal(name);
        assert_eq!(server.ended().code(), Some(1), "a second {name} means now");
    }
}

#[test]
fn public_server_withholds_restricted_series() {
    let home = tempfile::tempdir().unwrap();
    let asked = "/api/public/metrics/VIXCLS";
    let own = Server::start(command(home.path())).get(asked).unwrap();
    assert!(!own.starts_with("HTTP/1.1 403"), "{own}");
    for (name, value) in [
        ("ECONOSCOPE_TRUSTED_PROXY", "127.0.0.1/32"),
        ("ECONOSCOPE_ALLOWED_HOSTS", "macro.example.org"),
        ("ECONOSCOPE_ALLOWED_ORIGINS", "https://macro.example.org"),
        ("ECONOSCOPE_BASE_URL", "https://macro.example.org"),
    ] {
        let mut public = command(home.path());
        public.env(name, value);
        let said = Server::start(public).get(asked).unwrap();
        assert!(said.starts_with("HTTP/1.1 403"), "{name}: {said}");
    }
}

#[test]
fn signal_ends_stdio_while_nobody_reads_answers() {
    let home = tempfile::tempdir().unwrap();
    let mut child = command(home.path())
        .arg("stdio")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut requests = child.stdin.take().unwrap();
    let mut answers = child.stdout.take().unwrap();
    let call = |id: u32| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"get_time_series\",\
             \"arguments\":{{\"seriesId\":\"DGS10\",\"start\":\"max\"}},\"_meta\":{{\
             \"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
             \"io.modelcontextprotocol/clientInfo\":{{\"name\":\"test\",\"version\":\"1\"}},\
             \"io.modelcontextprotocol/clientCapabilities\":{{}}}}}}}}\n"
        )
    };
    // The first byte shows that it answers; the pipe is full long before all is written.
    for id in 0..20 {
        requests.write_all(call(id).as_bytes()).unwrap();
    }
    answers.read_exact(&mut [0]).unwrap();
    let sent = Command::new("kill")
        .args(["-s", "TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let ended = child.wait().unwrap();
    assert_eq!(
        ended.code(),
        Some(0),
        "with {answers:?} and {requests:?} open"
    );
}

#[test]
fn program_under_nohup_outlives_its_terminal() {
    let home = tempfile::tempdir().unwrap();
    let mut nohup = Command::new("nohup");
    nohup.arg(env!("CARGO_BIN_EXE_econoscope"));
    let mut server = Server::start(clean(nohup, home.path()));
    server.signal("HUP");
    server.signal("HUP");
    assert!(server.get("/health").unwrap().starts_with("HTTP/1.1 200"));
    server.signal("TERM");
    assert_eq!(server.ended().code(), Some(0));
}

#[test]
fn json_log_is_json_from_the_first_line() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("log");
    let mut logged = command(home.path());
    logged.args(["--log-json", "--log", "info"]);
    logged.stderr(fs::File::create(&log).unwrap());
    let mut server = Server::start(logged);
    server.get("/api/public/regime").unwrap();
    server.signal("TERM");
    server.ended();
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    assert!(
        lines[0]["message"]
            .as_str()
            .unwrap()
            .contains("(MCP at /mcp)"),
        "{text}"
    );
}

#[test]
fn log_outside_a_terminal_has_no_colours() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("log");
    let mut logged = command(home.path());
    logged
        .env("ECONOSCOPE_LOG", "info")
        .stderr(fs::File::create(&log).unwrap());
    let mut server = Server::start(logged);
    server.get("/api/public/regime").unwrap();
    server.signal("TERM");
    server.ended();
    let text = fs::read_to_string(&log).unwrap();
    assert!(
        text.contains("answered") && !text.contains('\u{1b}'),
        "{text}"
    );
}

#[test]
fn health_exit_code_says_whether_a_server_answers() {
    let home = tempfile::tempdir().unwrap();
    let mut server = Server::start(command(home.path()));
    let ask = |address: &str, by_url: bool| {
        let mut health = command(home.path());
        if by_url {
            health.args(["health", &format!("http://{address}/mcp")]);
        } else {
            health.arg("health").env("ECONOSCOPE_LISTEN", address);
        }
        health.output().unwrap().status.code()
    };
    assert_eq!(ask(&server.address, false), Some(0));
    assert_eq!(ask(&server.address, true), Some(0));
    server.signal("TERM");
    server.ended();
    assert_eq!(ask(&server.address, false), Some(1));
}

#[test]
fn completions_and_manual_pages_have_every_command() {
    let home = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = command(home.path())
            .args(["completions", shell])
            .output()
            .unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("metrics-listen"), "{shell}");
    }
    let folder = home.path().join("man/man1");
    let status = command(home.path())
        .args(["manual", text(&folder)])
        .status()
        .unwrap();
    assert!(status.success());
    let page = fs::read_to_string(folder.join("econoscope-serve.1")).unwrap();
    assert!(page.contains("metrics"), "{page}");
}

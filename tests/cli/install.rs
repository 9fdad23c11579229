//! `install` and `uninstall` on files as people have them: `tests/cli/hosts/<host>.<n>.json`, four for each host.

use super::said;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;

/// Where each host's file lies on Linux, and the table of servers in it.
const HOSTS: [(&str, &str, &str); 10] = [
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "mcpServers",
    ),
    ("claude-code", ".claude.json", "mcpServers"),
    ("cursor", ".cursor/mcp.json", "mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", "servers"),
    ("codex", ".codex/config.toml", "mcp_servers"),
    ("gemini", ".gemini/settings.json", "mcpServers"),
    (
        "windsurf",
        ".codeium/windsurf/mcp_config.json",
        "mcpServers",
    ),
    ("zed", ".config/zed/settings.json", "context_servers"),
    ("opencode", ".config/opencode/opencode.json", "mcp"),
    (
        "cline",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "mcpServers",
    ),
];

fn run(home: &Path, words: &[&str]) -> Output {
    let mut command = super::command(home);
    command
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("CODEX_HOME");
    command.args(words).output().unwrap()
}

/// A home with one file in it.
fn home(path: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    (home, file)
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// What a program reads out of a file.
fn meaning(file: &Path) -> Value {
    let content = read(file);
    let text = content.trim_start_matches('\u{feff}');
    if file.extension().unwrap() == "toml" {
        return serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap();
    }
    let tree = || jsonc_parser::cst::CstRootNode::parse(text, &Default::default()).unwrap();
    let plain = serde_json::from_str(text).ok();
    plain
        .or_else(|| tree().to_serde_value())
        .unwrap_or(json!({}))
}

/// Every comment and every line of another's, in order, without commas at their ends and what stands beside them.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| line.trim().trim_end_matches(','));
    lines.filter(|line| line.len() > 2).collect()
}

fn is_within(few: &[&str], many: &[&str]) -> bool {
    let mut rest = many.iter();
    few.iter().all(|line| rest.any(|other| other == line))
}

fn fixtures() -> Vec<(usize, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/hosts");
    let mut all = Vec::new();
    for (at, (host, path, _)) in HOSTS.iter().enumerate() {
        let ending = path.rsplit_once('.').unwrap().1;
        for n in 1..=4 {
            all.push((
                at,
                read(Path::new(&format!("{folder}/{host}.{n}.{ending}"))),
            ));
        }
    }
    all
}

/// Our entry as it stands now; whatever else the file says it said before.
fn only_ours_is_new(before: &Value, after: &Value, key: &str, told: &str) -> Value {
    let mut others = after.clone();
    let ours = others[key]
        .as_object_mut()
        .unwrap()
        .shift_remove("econoscope")
        .unwrap();
    let mut wanted = before.clone();
    if let Some(servers) = wanted
        .as_object_mut()
        .unwrap()
        .entry(key)
        .or_insert(json!({}))
        .as_object_mut()
    {
        let old = servers.shift_remove("econoscope");
        let kept = [
            "env",
            "headers",
            "timeout",
            "autoApprove",
            "trust",
            "startup_timeout_sec",
            "environment",
            "disabledTools",
        ];
        for name in kept {
            let value = old.as_ref().and_then(|entry| entry.get(name));
            assert!(
                value.is_none_or(|value| ours[name] == *value),
                "{name} of {ours}: {told}"
            );
        }
    }
    assert_eq!(others, wanted, "others changed in\n{told}");
    ours
}

/// Lines that are not ours stand as they stood.
fn lines_stay(text: &str, now: &str, key: &str) {
    // Our own entry and what stands on one line with the servers may be written anew.
    let others: Vec<&str> = lines(text)
        .into_iter()
        .filter(|line| !line.contains(key))
        .collect();
    let is_new = !text.contains("econoscope") && text.lines().count() > 3;
    assert!(!is_new || is_within(&others, &lines(now)), "{text}\n{now}");
}

/// Installs into one file in every way, and looks that nothing else of it changed.
fn check((host, path, key): (&str, &str, &str), text: &str) {
    let (home, file) = home(path, text);
    let before = meaning(&file);
    for http in [&[][..], &["--http", "http://127.0.0.1:8080/mcp"]] {
        if host == "claude-desktop" && !http.is_empty() {
            let refused = run(home.path(), &[&["install", host], http].concat());
            assert!(!refused.status.success() && said(&refused).contains("Connectors"));
            continue;
        }
        let words = [&["install", host], http].concat();
        let dry = run(home.path(), &[&words[..], &["--dry-run"]].concat());
        assert!(
            said(&dry).contains("would be added to") || said(&dry).contains("nothing"),
            "{}",
            said(&dry)
        );
        let done = run(home.path(), &words);
        assert!(done.status.success(), "{host}: {}\n{text}", said(&done));
        let now = read(&file);
        let ours = only_ours_is_new(&before, &meaning(&file), key, &now);
        let way = ours.to_string();
        assert_eq!(
            way.contains("http://127.0.0.1:8080/mcp"),
            !http.is_empty(),
            "{way}"
        );
        assert_eq!(way.contains("econoscope\""), http.is_empty(), "{way}");
        lines_stay(text, &now, key);
        assert_eq!(text.contains("\r\n"), now.contains("\r\n"));
        assert_eq!(text.starts_with('\u{feff}'), now.starts_with('\u{feff}'));
        let again = run(home.path(), &words);
        assert!(
            said(&again).contains("nothing to change"),
            "{}",
            said(&again)
        );
        assert_eq!(read(&file), now, "{host}: a second time");
    }
    let done = run(home.path(), &["uninstall", host]);
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(meaning(&file)[key].get("econoscope"), None);
    let backups = std::fs::read_dir(file.parent().unwrap())
        .unwrap()
        .filter(|f| {
            f.as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .ends_with(".backup")
        });
    assert!(backups.count() >= 1);
}

#[test]
fn install_keeps_everything_else_in_forty_files() {
    let all = fixtures();
    assert_eq!(all.len(), 40);
    for (at, text) in all {
        check(HOSTS[at], &text);
    }
}

#[test]
fn line_ends_and_byte_order_mark_stay() {
    for (at, text) in fixtures().iter().step_by(3) {
        let at = HOSTS[*at];
        let windows = text.replace('\n', "\r\n");
        check(at, &windows);
        if !at.1.ends_with("toml") {
            check(at, &format!("\u{feff}{windows}"));
        }
    }
}

#[test]
fn uninstall_restores_the_file() {
    for (at, text) in fixtures() {
        let (host, path, _) = HOSTS[at];
        let (home, file) = home(path, &text);
        if text.contains("econoscope") {
            continue;
        }
        assert!(run(home.path(), &["install", host]).status.success());
        assert!(run(home.path(), &["uninstall", host]).status.success());
        assert_eq!(read(&file), text, "{host}");
    }
}

#[test]
fn uninstall_restores_unusual_files_byte_for_byte() {
    let json = [
        "",
        "\n",
        "{}",
        "{}\n",
        "{ }",
        "\u{feff}{}",
        r#"{"mcpServers":{}}"#,
        "{\n  \"mcpServers\": {}\n}",
        "{\"theme\": \"dark\"}\n",
        r#"{"mcpServers":{"other":{"command":"x","args":[]}},"a":1}"#,
        "{\n  // mine\n  \"a\": 1, /* b */\n\n}\n",
        "{\r\n\t\"mcpServers\": {\r\n\r\n\t},\r\n}",
        "{\r\n  \"a\": 1\n}",
    ];
    let toml = [
        "",
        "model = \"o\"",
        "model = \"o\"\r\n",
        "[mcp_servers]",
        "mcp_servers = {}",
        "# mine\n\n[mcp_servers.other]\ncommand = \"x\" # y",
        "mcp_servers = { other = { command = \"x\" } }\n\n\n",
    ];
    let cursor = json.map(|text| ("cursor", ".cursor/mcp.json", text));
    let codex = toml.map(|text| ("codex", ".codex/config.toml", text));
    for (host, path, text) in cursor.into_iter().chain(codex) {
        let (home, file) = home(path, text);
        let none = run(home.path(), &["uninstall", host]);
        assert!(said(&none).contains("nothing to change"), "{}", said(&none));
        // Twice, so that the backups of the first time are there; over HTTP, so that the entry changes between.
        for _ in 0..2 {
            for http in [&[][..], &["--http", "http://127.0.0.1:8080/mcp"]] {
                let done = run(home.path(), &[&["install", host], http].concat());
                assert!(read(&file).contains("econoscope"), "{}", said(&done));
            }
            let done = run(home.path(), &["uninstall", host]);
            assert!(done.status.success(), "{}", said(&done));
            assert_eq!(read(&file), text, "{host}");
        }
    }
}

#[test]
fn uninstall_keeps_later_changes() {
    let (home, file) = home(".cursor/mcp.json", "{}");
    let install = || assert!(run(home.path(), &["install", "cursor"]).status.success());
    let uninstall = || assert!(run(home.path(), &["uninstall", "cursor"]).status.success());
    install();
    let mine = read(&file).replacen('{', "{ // mine\n  \"theme\": \"dark\",", 1);
    std::fs::write(&file, mine).unwrap();
    uninstall();
    assert!(read(&file).contains("// mine"), "{}", read(&file));
    let left = json!({"theme": "dark", "mcpServers": {}});
    assert_eq!(meaning(&file), left);
    // Without backups nothing tells whether the empty table was there before, so it stays.
    std::fs::write(&file, "{}").unwrap();
    install();
    for entry in std::fs::read_dir(file.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path != file {
            std::fs::remove_file(path).unwrap();
        }
    }
    uninstall();
    assert_eq!(meaning(&file), json!({"mcpServers": {}}));
}

#[test]
fn cline_command_line_has_its_own_file() {
    let home = tempfile::tempdir().unwrap();
    let own = home.path().join(".cline/data/settings");
    std::fs::create_dir_all(&own).unwrap();
    assert!(run(home.path(), &["install", "cline"]).status.success());
    let file = own.join("cline_mcp_settings.json");
    assert!(meaning(&file)["mcpServers"]["econoscope"].is_object());
    // The editor's file is asked first where both are there.
    let editor = home.path().join(HOSTS[9].1);
    std::fs::create_dir_all(editor.parent().unwrap()).unwrap();
    std::fs::write(&editor, "{}").unwrap();
    assert!(run(home.path(), &["install", "cline"]).status.success());
    assert!(meaning(&editor)["mcpServers"]["econoscope"].is_object());
}

#[test]
fn unreadable_settings_file_stays_unchanged() {
    for (host, text, why) in [
        ("cursor", "{\"mcpServers\": {", "not JSON"),
        (
            "cursor",
            "{\"mcpServers\": [1]}",
            "mcpServers in it is not an object",
        ),
        ("cursor", "[]", "not an object"),
        ("zed", "{'context_servers': {}}", "not JSON"),
        ("codex", "model = ", "not TOML"),
        ("codex", "mcp_servers = 1\n", "not a table"),
    ] {
        let (_, path, _) = HOSTS.iter().find(|row| row.0 == host).unwrap();
        let (home, file) = home(path, text);
        for command in ["install", "uninstall"] {
            let done = run(home.path(), &[command, host]);
            let said = said(&done);
            assert!(
                !done.status.success() && said.contains(why),
                "{command} {text}: {said}"
            );
            assert!(said.contains("is unchanged"), "{said}");
            assert_eq!(read(&file), text);
        }
        assert_eq!(
            std::fs::read_dir(file.parent().unwrap()).unwrap().count(),
            1
        );
    }
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay_and_read_only_files_are_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (home, file) = home("dotfiles/mcp.json", "{}\n");
    let link = home.path().join(".cursor/mcp.json");
    std::fs::create_dir(home.path().join(".cursor")).unwrap();
    symlink(&file, &link).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
    assert!(run(home.path(), &["install", "cursor"]).status.success());
    assert!(link.is_symlink() && read(&file).contains("econoscope"));
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
    let before = read(&file);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o440)).unwrap();
    let refused = run(home.path(), &["uninstall", "cursor"]);
    assert!(!refused.status.success() && said(&refused).contains("read-only"));
    assert_eq!(read(&file), before);
    std::fs::remove_file(&file).unwrap();
    let nowhere = run(home.path(), &["install", "cursor"]);
    assert!(
        !nowhere.status.success() && !file.exists(),
        "{}",
        said(&nowhere)
    );
}

#[test]
fn new_files_prints_and_lists() {
    let home = tempfile::tempdir().unwrap();
    let none = run(home.path(), &["install"]);
    assert!(!none.status.success() && said(&none).contains("no assistant was found"));
    let wrong = run(home.path(), &["install", "emacs"]);
    assert!(!wrong.status.success() && said(&wrong).contains("claude-desktop, claude-code"));
    for (host, path, key) in HOSTS {
        let file = home.path().join(path);
        let printed = run(home.path(), &["install", host, "--print"]);
        let dry = run(home.path(), &["install", host, "--dry-run"]);
        assert!(
            said(&dry).contains("would be added") && !file.exists(),
            "{host}"
        );
        assert!(run(home.path(), &["install", host]).status.success());
        // OpenCode's new file may have comments.
        let file = match host {
            "opencode" => file.with_extension("jsonc"),
            _ => file,
        };
        assert_eq!(
            read(&file),
            String::from_utf8(printed.stdout).unwrap(),
            "{host}"
        );
        assert!(meaning(&file)[key]["econoscope"].is_object());
    }
    let listed = said(&run(home.path(), &["install"]));
    for (host, ..) in HOSTS {
        assert!(listed.contains(&format!("  {host} ")), "{listed}");
    }
}

#[test]
fn install_passes_on_the_given_arguments() {
    let (home, file) = home(".cursor/mcp.json", "{}\n");
    let words = [
        "--store",
        "own.db",
        "--no-fred",
        "--log",
        "info",
        "--no-search-tools",
        "install",
        "cursor",
    ];
    assert!(run(home.path(), &words).status.success());
    let settings = meaning(&file);
    let given: Vec<&str> = settings["mcpServers"]["econoscope"]["args"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(
        given[1].ends_with("own.db") && Path::new(given[1]).is_absolute(),
        "{given:?}"
    );
    let [flag, _, rest @ ..] = given.as_slice() else {
        panic!("{given:?}")
    };
    assert_eq!(
        (*flag, rest),
        (
            "--store",
            &["--no-fred", "--log", "info", "--no-search-tools"][..]
        )
    );
    // An address alone is a server's, which speaks MCP below it; the backups of both are kept.
    let http = run(
        home.path(),
        &["install", "cursor", "--http", "http://127.0.0.1:8080"],
    );
    assert!(http.status.success(), "{}", said(&http));
    assert_eq!(
        meaning(&file)["mcpServers"]["econoscope"]["url"],
        "http://127.0.0.1:8080/mcp"
    );
    let kept = std::fs::read_dir(file.parent().unwrap())
        .unwrap()
        .filter(|f| {
            f.as_ref()
                .is_ok_and(|f| f.file_name().to_string_lossy().contains(".backup"))
        });
    assert_eq!(kept.count(), 2);
}

//! Which assistants there are, where each keeps its servers on this system, and what it wants to read of one.
//! `tests/clients/places.mjs` holds these rows against the package `add-mcp`. For another host add its row.

use super::edit::Format;
use serde_json::{Value, json};
use std::path::PathBuf;

/// An assistant that keeps its servers in a file.
pub(super) struct Host {
    /// As it is typed.
    pub(super) name: &'static str,
    /// As it calls itself.
    pub(super) title: &'static str,
    /// Its files; the first that is there counts, or else the first.
    files: &'static [(Base, &'static str)],
    /// A folder that is there where the host is.
    home: (Base, &'static str),
    pub(super) format: Format,
    /// The table of servers in the file.
    pub(super) key: &'static str,
    entry: fn(&Server) -> Value,
    /// Whether a server over HTTP can stand in the file.
    takes_http: bool,
    /// What is to be done for it to take effect.
    pub(super) then: &'static str,
}

/// What the assistant is to start, or to call.
#[derive(Debug, Clone)]
pub(super) enum Server {
    /// A program and its arguments.
    Program(String, Vec<String>),
    /// An address.
    Http(String),
}

#[derive(Debug, Clone, Copy)]
enum Base {
    /// The user's folder.
    Home,
    /// Where programs of this system keep their settings.
    Settings,
    /// Codex's own folder, which can be moved.
    Codex,
}

/// Where settings lie for this user.
pub(super) struct Places {
    pub(super) home: PathBuf,
    pub(super) settings: PathBuf,
    pub(super) codex: PathBuf,
}

impl Places {
    /// Of the user who runs this, as the environment says.
    pub(super) fn of_user() -> Option<Self> {
        let named = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = std::env::home_dir()?;
        let settings = if cfg!(windows) {
            named("APPDATA").map_or_else(|| home.join("AppData/Roaming"), PathBuf::from)
        } else if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else {
            named("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from)
        };
        let codex = named("CODEX_HOME").map_or_else(|| home.join(".codex"), PathBuf::from);
        Some(Self {
            home,
            settings,
            codex,
        })
    }

    fn path(&self, (base, path): (Base, &str)) -> PathBuf {
        let base = match base {
            Base::Home => &self.home,
            Base::Settings => &self.settings,
            Base::Codex => &self.codex,
        };
        base.join(path)
    }
}

impl Host {
    /// The file that holds its servers.
    pub(super) fn file(&self, places: &Places) -> PathBuf {
        let mut files = self.files.iter().map(|file| places.path(*file));
        let there = files.clone().find(|file| file.exists());
        there.or_else(|| files.next()).unwrap_or_default()
    }

    /// Whether the host is on this system.
    pub(super) fn is_here(&self, places: &Places) -> bool {
        places.path(self.home).exists() || self.files.iter().any(|f| places.path(*f).exists())
    }

    /// What stands in its file for a server; nothing where it cannot.
    pub(super) fn entry(&self, server: &Server) -> Option<Value> {
        match server {
            Server::Http(_) if !self.takes_http => None,
            Server::Http(_) | Server::Program(..) => Some((self.entry)(server)),
        }
    }
}

/// What most take.
fn usual(server: &Server) -> Value {
    match server {
        Server::Program(command, arguments) => json!({ "command": command, "args": arguments }),
        Server::Http(url) => json!({ "type": "http", "url": url }),
    }
}

/// What those take that know the kind by the address.
fn plain(server: &Server) -> Value {
    match server {
        Server::Program(..) => usual(server),
        Server::Http(url) => json!({ "url": url }),
    }
}

fn windsurf(server: &Server) -> Value {
    match server {
        Server::Program(..) => usual(server),
        Server::Http(url) => json!({ "serverUrl": url }),
    }
}

fn cline(server: &Server) -> Value {
    let mut entry = match server {
        Server::Program(..) => usual(server),
        Server::Http(url) => json!({ "type": "streamableHttp", "url": url }),
    };
    if let Some(members) = entry.as_object_mut() {
        members.insert("disabled".into(), false.into());
    }
    entry
}

fn zed(server: &Server) -> Value {
    match server {
        Server::Program(command, arguments) => {
            json!({ "source": "custom", "command": command, "args": arguments })
        }
        Server::Http(url) => json!({ "source": "custom", "type": "http", "url": url }),
    }
}

fn opencode(server: &Server) -> Value {
    match server {
        Server::Program(command, arguments) => {
            let words = [std::slice::from_ref(command), arguments].concat();
            json!({ "type": "local", "command": words, "enabled": true })
        }
        Server::Http(url) => json!({ "type": "remote", "url": url, "enabled": true }),
    }
}

const ZED: &str = if cfg!(any(windows, target_os = "macos")) {
    "Zed"
} else {
    "zed"
};
const ZED_FILE: &str = if cfg!(any(windows, target_os = "macos")) {
    "Zed/settings.json"
} else {
    "zed/settings.json"
};

/// What most rows have.
const USUAL: Host = Host {
    name: "",
    title: "",
    files: &[],
    home: (Base::Home, ""),
    format: Format::Json,
    key: "mcpServers",
    entry: usual,
    takes_http: true,
    then: "It is there in the next session.",
};

/// Every host.
pub(super) const HOSTS: [Host; 10] = [
    Host {
        name: "claude-desktop",
        title: "Claude Desktop",
        files: &[(Base::Settings, "Claude/claude_desktop_config.json")],
        home: (Base::Settings, "Claude"),
        takes_http: false,
        then: "Quit Claude Desktop and start it again.",
        ..USUAL
    },
    Host {
        name: "claude-code",
        title: "Claude Code",
        files: &[(Base::Home, ".claude.json")],
        home: (Base::Home, ".claude"),
        ..USUAL
    },
    Host {
        name: "cursor",
        title: "Cursor",
        files: &[(Base::Home, ".cursor/mcp.json")],
        home: (Base::Home, ".cursor"),
        entry: plain,
        then: "Switch it on in Cursor's settings, under MCP.",
        ..USUAL
    },
    Host {
        name: "vscode",
        title: "VS Code",
        files: &[(Base::Settings, "Code/User/mcp.json")],
        home: (Base::Settings, "Code/User"),
        key: "servers",
        then: "Start it with the command \"MCP: List Servers\".",
        ..USUAL
    },
    Host {
        name: "codex",
        title: "Codex",
        files: &[(Base::Codex, "config.toml")],
        home: (Base::Codex, ""),
        format: Format::Toml,
        key: "mcp_servers",
        entry: plain,
        ..USUAL
    },
    Host {
        name: "gemini",
        title: "Gemini CLI",
        files: &[(Base::Home, ".gemini/settings.json")],
        home: (Base::Home, ".gemini"),
        ..USUAL
    },
    Host {
        name: "windsurf",
        title: "Windsurf",
        files: &[(Base::Home, ".codeium/windsurf/mcp_config.json")],
        home: (Base::Home, ".codeium/windsurf"),
        entry: windsurf,
        then: "Press the button to refresh in Windsurf's MCP settings.",
        ..USUAL
    },
    Host {
        name: "zed",
        title: "Zed",
        files: &[(Base::Settings, ZED_FILE)],
        home: (Base::Settings, ZED),
        key: "context_servers",
        entry: zed,
        then: "Zed starts it at once.",
        ..USUAL
    },
    Host {
        name: "opencode",
        title: "OpenCode",
        files: &[
            (Base::Home, ".config/opencode/opencode.jsonc"),
            (Base::Home, ".config/opencode/opencode.json"),
        ],
        home: (Base::Home, ".config/opencode"),
        key: "mcp",
        entry: opencode,
        ..USUAL
    },
    Host {
        name: "cline",
        title: "Cline",
        files: &[(
            Base::Settings,
            "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        )],
        home: (
            Base::Settings,
            "Code/User/globalStorage/saoudrizwan.claude-dev",
        ),
        entry: cline,
        then: "Cline starts it at once.",
        ..USUAL
    },
];

//! Which assistants there are, where each keeps its servers on this system, and what it wants to read of one.
//! `tests/clients/places.mjs` holds the rows of `data/hosts.json` against the package `add-mcp`. For another host add its row.

use super::edit::Format;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// An assistant that keeps its servers in a file.
#[derive(Deserialize)]
pub(super) struct Host {
    /// As it is typed.
    pub(super) name: String,
    /// As it calls itself.
    pub(super) title: String,
    /// Its files; the first that is there counts, or else the first whose folder is there, or else the first.
    files: Vec<String>,
    /// A folder that is there where the host is.
    home: String,
    pub(super) format: Format,
    /// The table of servers in the file.
    pub(super) key: String,
    /// What stands there for a program, with its words in braces.
    program: Value,
    /// What stands there for a server over HTTP; nothing where none can.
    http: Option<Value>,
    /// What is to be done for it to take effect.
    pub(super) then: String,
}

/// What the assistant is to start, or to call.
#[derive(Debug, Clone)]
pub(super) enum Server {
    /// A program and its arguments.
    Program(String, Vec<String>),
    /// An address.
    Http(String),
}

/// Where settings lie for this user.
pub(super) struct Places {
    pub(super) home: PathBuf,
    pub(super) settings: PathBuf,
    pub(super) codex: PathBuf,
    /// Where Claude Code keeps its own, if that was moved.
    pub(super) claude: Option<PathBuf>,
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
            claude: named("CLAUDE_CONFIG_DIR").map(PathBuf::from),
        })
    }

    /// A path of the table: below the user's folder, below where programs of this system keep their settings, or below
    /// Codex's own folder, which can be moved.
    fn path(&self, path: &str) -> PathBuf {
        if let Some(claude) = &self.claude {
            match path {
                "home/.claude.json" => return claude.join(".claude.json"),
                "home/.claude" => return claude.clone(),
                _ => {}
            }
        }
        let (base, path) = path.split_once('/').unwrap_or_default();
        let base = match base {
            "settings" => &self.settings,
            "codex" => &self.codex,
            _ => &self.home,
        };
        base.join(path.replace("{zed}", ZED))
    }
}

impl Host {
    /// The file that holds its servers.
    pub(super) fn file(&self, places: &Places) -> PathBuf {
        let mut files = self.files.iter().map(|file| places.path(file));
        let there = files.clone().find(|file| file.exists());
        let beside = || {
            let is_there = |file: &PathBuf| file.parent().is_some_and(Path::exists);
            files.clone().find(is_there)
        };
        let found = there.or_else(beside);
        found.or_else(|| files.next()).unwrap_or_default()
    }

    /// Whether the host is on this system.
    pub(super) fn is_here(&self, places: &Places) -> bool {
        places.path(&self.home).exists() || self.files.iter().any(|f| places.path(f).exists())
    }

    /// What stands in its file for a server; nothing where it cannot.
    pub(super) fn entry(&self, server: &Server) -> Option<Value> {
        let mut entry = match server {
            Server::Program(..) => self.program.clone(),
            Server::Http(_) => self.http.clone()?,
        };
        for value in entry.as_object_mut()?.values_mut() {
            *value = match (value.as_str(), server) {
                (Some("{command}"), Server::Program(command, _)) => json!(command),
                (Some("{arguments}"), Server::Program(_, arguments)) => json!(arguments),
                (Some("{words}"), Server::Program(command, arguments)) => {
                    json!([std::slice::from_ref(command), arguments].concat())
                }
                (Some("{url}"), Server::Http(url)) => json!(url),
                _ => continue,
            };
        }
        Some(entry)
    }
}

const ZED: &str = if cfg!(any(windows, target_os = "macos")) {
    "Zed"
} else {
    "zed"
};

/// Every host.
pub(super) static HOSTS: LazyLock<Vec<Host>> = LazyLock::new(|| {
    // The file is fixed at build time and a test reads it, so an empty list cannot ship.
    serde_json::from_str(include_str!("../../../data/hosts.json")).unwrap_or_default()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_an_entry_whose_words_are_filled_in() {
        assert_eq!(HOSTS.len(), 10);
        let program = Server::Program("here".to_owned(), vec!["-y".to_owned()]);
        let http = Server::Http("http://127.0.0.1:8080/mcp".to_owned());
        for host in HOSTS.iter() {
            let entry = host.entry(&program).unwrap();
            assert!(entry.to_string().contains("here"), "{entry}");
            let both = [Some(entry), host.entry(&http)];
            assert_eq!(both[1].is_none(), host.name == "claude-desktop");
            for entry in both.iter().flatten() {
                assert!(!entry.to_string().contains("\"{"), "{entry}");
            }
        }
    }
}

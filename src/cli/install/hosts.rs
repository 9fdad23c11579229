//! The supported assistants (hosts): their settings files on this system, and their entries for a server.
//!
//! `tests/clients/places.mjs` compares `data/hosts.json` with the package `add-mcp`. A new host is a new row there.

use super::edit::Format;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The entry of a server in a settings file.
pub(super) type Entry = Map<String, Value>;

/// An assistant with a settings file, as `data/hosts.json` describes it.
#[derive(Deserialize)]
pub(super) struct Host {
    /// Name on the command line.
    pub(super) name: String,
    /// Name for people.
    pub(super) title: String,
    /// Candidates for the settings file.
    files: Vec<String>,
    /// Folder that exists where the host is installed.
    home: String,
    pub(super) format: Format,
    /// Name of the table of servers in the file.
    pub(super) key: String,
    /// Entry for a program, with placeholders in braces.
    program: Entry,
    /// Entry for a server over HTTP; `None` if the host has none.
    http: Option<Entry>,
    /// What the user has to do next.
    #[serde(rename = "then")]
    pub(super) next_step: String,
}

/// The server in an entry.
pub(super) enum Server {
    /// A program and its arguments.
    Program(String, Vec<String>),
    /// A URL.
    Http(String),
}

/// Folders of the user in which hosts keep their settings.
pub(super) struct UserFolders {
    home: PathBuf,
    settings: PathBuf,
    codex: PathBuf,
    /// Folder of Claude Code, if it was moved.
    claude: Option<PathBuf>,
}

impl UserFolders {
    /// Reads the folders from the environment.
    ///
    /// # Errors
    /// For a user without a home folder.
    pub(super) fn from_env() -> Result<Self> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = std::env::home_dir().context("this user has no home folder")?;
        let settings = if cfg!(windows) {
            variable("APPDATA").map_or_else(|| home.join("AppData/Roaming"), PathBuf::from)
        } else if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else {
            variable("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from)
        };
        let codex = variable("CODEX_HOME").map_or_else(|| home.join(".codex"), PathBuf::from);
        Ok(Self {
            home,
            settings,
            codex,
            claude: variable("CLAUDE_CONFIG_DIR").map(PathBuf::from),
        })
    }

    /// Resolves a path of `data/hosts.json`, which begins with the name of a folder: home, settings or codex.
    fn resolve(&self, path: &str) -> PathBuf {
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
    /// Returns the path of the settings file: the first candidate that exists, else the first whose folder exists, else
    /// the first.
    pub(super) fn file(&self, folders: &UserFolders) -> PathBuf {
        let mut files = self.files.iter().map(|file| folders.resolve(file));
        let has_folder = |file: &PathBuf| file.parent().is_some_and(Path::exists);
        let existing = files
            .clone()
            .find(|file| file.exists())
            .or_else(|| files.clone().find(has_folder));
        existing.or_else(|| files.next()).unwrap_or_default()
    }

    /// Whether the host is installed on this system.
    pub(super) fn is_here(&self, folders: &UserFolders) -> bool {
        let exists = |path: &String| folders.resolve(path).exists();
        exists(&self.home) || self.files.iter().any(exists)
    }

    /// Returns the entry for a server; `None` if the host cannot use it.
    pub(super) fn entry(&self, server: &Server) -> Option<Entry> {
        let mut entry = match server {
            Server::Program(..) => self.program.clone(),
            Server::Http(_) => self.http.clone()?,
        };
        for value in entry.values_mut() {
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

/// The supported hosts.
pub(super) static HOSTS: LazyLock<Vec<Host>> = LazyLock::new(|| {
    // A test reads the embedded file.
    serde_json::from_str(include_str!("../../../data/hosts.json")).unwrap_or_default()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_an_entry_without_placeholders() {
        assert_eq!(HOSTS.len(), 10);
        let program = Server::Program("here".to_owned(), vec!["-y".to_owned()]);
        let http = Server::Http("http://127.0.0.1:8080/mcp".to_owned());
        for host in HOSTS.iter() {
            let entry = host.entry(&program).unwrap();
            let entry = Value::Object(entry).to_string();
            assert!(entry.contains("here") && !entry.contains("\"{"), "{entry}");
            let entry = host.entry(&http);
            assert_eq!(entry.is_none(), host.name == "claude-desktop");
            let entry = json!(entry).to_string();
            assert!(!entry.contains("\"{"), "{entry}");
        }
    }
}

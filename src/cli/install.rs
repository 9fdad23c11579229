//! `install` and `uninstall`: our entry in an assistant's settings, and nothing else of them touched.

mod backup;
mod edit;
mod hosts;

use super::print::{print, printable};
use crate::config::{Config, DEFAULT_LOG, Install, Place};
use anyhow::{Context, Result, bail};
use econoscope_data::disk;
use edit::with_entry;
use hosts::{HOSTS, Host, Places, Server};
use serde_json::Value;
use std::io::{BufRead, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

/// Adds our entry where it was asked for; without a host, shows which there are and asks.
pub(super) fn install(config: &Config, asked: &Install) -> Result<()> {
    let server = match &asked.http {
        Some(url) if !matches!(url.scheme(), "http" | "https") => {
            bail!("{url} is no address of a server; write http://host:port/mcp")
        }
        Some(url) => {
            let mut url = url.clone();
            // An address without a path is that of the server, which speaks MCP below it.
            if url.path() == "/" {
                url.set_path(crate::admission::MCP);
            }
            Server::Http(url.to_string())
        }
        None => this_program(&kept(config)?)?,
    };
    let places = places()?;
    for host in hosts(&places, &asked.place)? {
        let entry = host.entry(&server).with_context(|| {
            let title = &host.title;
            format!("{title} takes programs alone in its file; add an address in its settings, under Connectors")
        })?;
        let said = match asked.print {
            true => with_entry(host.format, "", &host.key, Some(&entry))?,
            false => change(host, &places, Some(&entry), asked.place.dry_run)?,
        };
        print(&printable(&said))?;
    }
    Ok(())
}

/// Takes our entry out.
pub(super) fn uninstall(asked: &Place) -> Result<()> {
    let places = places()?;
    for host in hosts(&places, asked)? {
        print(&printable(&change(host, &places, None, asked.dry_run)?))?;
    }
    Ok(())
}

fn places() -> Result<Places> {
    Places::of_user().context("this user has no home folder")
}

/// The host that was named, or those that are chosen.
fn hosts(places: &Places, asked: &Place) -> Result<Vec<&'static Host>> {
    match &asked.host {
        Some(name) => Ok(vec![named(name)?]),
        None => chosen(places),
    }
}

fn named(name: &str) -> Result<&'static Host> {
    let found = HOSTS.iter().find(|host| host.name == name);
    found.with_context(|| format!("no host is called {name}; there are {}", names()))
}

fn names() -> String {
    let names: Vec<&str> = HOSTS.iter().map(|host| host.name.as_str()).collect();
    names.join(", ")
}

/// Puts an entry into a host's file, or takes it out, and says what was done.
fn change(host: &Host, places: &Places, entry: Option<&Value>, is_dry: bool) -> Result<String> {
    let file = host.file(places);
    let title = &host.title;
    let shown = disk::shown(&file);
    let old = current(&file).with_context(|| format!("{title}: {shown} is left as it is"))?;
    let text = old.as_deref().unwrap_or_default();
    let mut new = with_entry(host.format, text, &host.key, entry)
        .with_context(|| format!("{title}: {shown} cannot be read and is left as it is"))?;
    if entry.is_none()
        && new != text
        && let Some(before) = backup::before_install(host, &file, &new)
    {
        new = before;
    }
    if new == text || (entry.is_none() && old.is_none()) {
        return Ok(format!("{title}: nothing to change in {shown}"));
    }
    let done = match entry {
        Some(_) => "added to",
        None => "taken out of",
    };
    if is_dry {
        return Ok(format!(
            "{title}: would be {done} {shown}:\n{}",
            difference(text, &new)
        ));
    }
    let backup = write(&file, old.as_deref(), &new)
        .with_context(|| format!("{title}: {shown} cannot be written and is left as it is"))?;
    let backup = backup.map(|kept| format!(" (as it was: {})", disk::shown(&kept)));
    let then = entry.map_or("", |_| host.then.as_str());
    Ok(format!(
        "{title}: {done} {shown}{}\n{then}",
        backup.unwrap_or_default()
    ))
}

/// What a file says now; nothing where there is none.
fn current(file: &Path) -> Result<Option<String>> {
    match disk::read_text(file) {
        Ok(_) if std::fs::metadata(file)?.permissions().readonly() => bail!("it is read-only"),
        Ok(text) => Ok(Some(text)),
        // A link that leads nowhere is not nothing.
        Err(error) if error.kind() == ErrorKind::NotFound && !file.is_symlink() => Ok(None),
        Err(error) => Err(error).context("it cannot be read"),
    }
}

/// Puts the new text in the place of the old, where a link leads to, with the old permissions; the old is kept beside it.
fn write(file: &Path, old: Option<&str>, new: &str) -> Result<Option<PathBuf>> {
    let Some(old) = old else {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        disk::replace(file, new.as_bytes())?;
        return Ok(None);
    };
    let real = std::fs::canonicalize(file)?;
    let permissions = std::fs::metadata(&real)?.permissions();
    let kept = backup::keep(&real, old)?;
    disk::replace(&real, new.as_bytes())?;
    std::fs::set_permissions(&real, permissions)?;
    Ok(Some(kept))
}

/// The lines that come and go, between those that stay at both ends.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = tail.take_while(|(a, b)| a == b).count();
    let between = |lines: &[&str], mark: &str| {
        let lines = lines.iter().take(lines.len() - tail).skip(head);
        lines
            .map(|line| format!("{mark} {line}\n"))
            .collect::<String>()
    };
    between(&old, "-") + &between(&new, "+")
}

/// The settings that the program was given here and would not find again when an assistant starts it.
fn kept(config: &Config) -> Result<Vec<String>> {
    let text = |path: &Path| -> Result<String> {
        let is_database = path.to_str().is_some_and(|text| text.contains("://"));
        let whole = match is_database {
            true => path.to_owned(),
            false => std::path::absolute(path)?,
        };
        let text = whole.to_str().map(str::to_owned);
        text.context("a path that is not UTF-8 cannot stand in the file")
    };
    let mut words = Vec::new();
    for (flag, path) in [("--store", &config.store), ("--config", &config.config)] {
        if let Some(path) = path {
            words.extend([flag.to_owned(), text(path)?]);
        }
    }
    if config.sources.no_fred {
        words.push("--no-fred".to_owned());
    }
    if config.log != DEFAULT_LOG {
        words.extend(["--log".to_owned(), config.log.clone()]);
    }
    if config.no_search_tools {
        words.push("--no-search-tools".to_owned());
    }
    Ok(words)
}

/// How an assistant starts this program again: by what keeps it, where it lies in the store of a package runner.
fn this_program(settings: &[String]) -> Result<Server> {
    let own = std::env::current_exe().context("finding this program")?;
    let parts: Vec<_> = own.iter().collect();
    let is_below = |name: &str| parts.iter().any(|part| *part == name);
    let program = |command: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(|word| (*word).to_owned());
        let arguments = arguments.chain(settings.iter().cloned()).collect();
        Server::Program(command.to_owned(), arguments)
    };
    if is_below("_npx") {
        return Ok(program("npx", &["-y", "econoscope"]));
    }
    if is_below("archive-v0") && is_below("uv") {
        return Ok(program("uvx", &["econoscope"]));
    }
    // A name on the path outlives the version it leads to now.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut on_path = std::env::split_paths(&path).map(|folder| folder.join("econoscope"));
    let found = on_path.find(|name| std::fs::canonicalize(name).is_ok_and(|real| real == own));
    let command = found.unwrap_or(own);
    let command = command
        .to_str()
        .context("this program's path is not UTF-8")?;
    Ok(program(command, &[]))
}

/// The hosts of this system, and of them those that a person at the terminal names.
fn chosen(places: &Places) -> Result<Vec<&'static Host>> {
    let here: Vec<&Host> = HOSTS.iter().filter(|host| host.is_here(places)).collect();
    if here.is_empty() {
        bail!("no assistant was found here; name one: {}", names());
    }
    print("Assistants found here:")?;
    for host in &here {
        let file = host.file(places);
        print(&printable(&format!(
            "  {:<15} {} ({})",
            host.name,
            host.title,
            disk::shown(&file)
        )))?;
    }
    if !std::io::stdin().is_terminal() {
        print("Name one of them after the command.")?;
        return Ok(Vec::new());
    }
    print("Which of them? Names separated by blanks, all, or nothing to leave it:")?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    if line.trim() == "all" {
        return Ok(here);
    }
    line.split_whitespace().map(named).collect()
}

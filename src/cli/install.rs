//! `install` and `uninstall`: add our entry to an assistant's settings file, or remove it, and change nothing else.

mod backup;
mod edit;
mod hosts;

use super::output::{print, printable};
use crate::config::{Config, Install, InstallTarget};
use anyhow::{Context, Result, bail};
use econoscope_core::indicators::prose::join;
use econoscope_data::disk;
use edit::with_entry;
use hosts::{Entry, HOSTS, Host, Server, UserFolders};
use std::ffi::OsString;
use std::io::{BufRead, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};

/// Adds our entry to the settings of the named host. Without a name, lists the hosts and asks.
pub(super) fn install(config: &Config, options: &Install) -> Result<()> {
    let server = match &options.http {
        Some(url) if !matches!(url.scheme(), "http" | "https") => {
            bail!("{url} is not the address of a server; write http://host:port/mcp")
        }
        Some(url) => {
            let mut endpoint = url.clone();
            if endpoint.path() == "/" {
                endpoint.set_path(crate::admission::MCP_PATH);
            }
            Server::Http(endpoint.to_string())
        }
        None => own_command(&own_flags(config)?)?,
    };
    let folders = UserFolders::from_env()?;
    for host in select_hosts(&folders, &options.target)? {
        let entry = host.entry(&server).with_context(|| {
            let title = &host.title;
            format!("{title} accepts only programs in its file; add an address in its settings, under Connectors")
        })?;
        let message = if options.print {
            with_entry(host.format, "", &host.key, Some(&entry))?
        } else {
            let dry_run = options.target.dry_run;
            edit_settings(host, &host.file(&folders), Some(&entry), dry_run)?
        };
        print(&printable(&message))?;
    }
    Ok(())
}

/// Removes our entry from the settings of the named host. Without a name, lists the hosts and asks.
pub(super) fn uninstall(options: &InstallTarget) -> Result<()> {
    let folders = UserFolders::from_env()?;
    for host in select_hosts(&folders, options)? {
        let message = edit_settings(host, &host.file(&folders), None, options.dry_run)?;
        print(&printable(&message))?;
    }
    Ok(())
}

fn select_hosts(folders: &UserFolders, options: &InstallTarget) -> Result<Vec<&'static Host>> {
    match &options.host {
        Some(name) => Ok(vec![find_host(name)?]),
        None => ask_for_hosts(folders),
    }
}

fn find_host(name: &str) -> Result<&'static Host> {
    let host = HOSTS.iter().find(|host| host.name == name);
    host.with_context(|| format!("unknown host {name}; choose one of {}", host_names()))
}

fn host_names() -> String {
    join(HOSTS.iter().map(|host| &host.name), ", ")
}

/// Adds an entry to a host's settings file, or removes ours, and returns a message about it.
fn edit_settings(host: &Host, path: &Path, entry: Option<&Entry>, dry_run: bool) -> Result<String> {
    let title = &host.title;
    let file = disk::format_path(path);
    let old = read_settings(path).with_context(|| format!("{title}: {file} is unchanged"))?;
    let text = old.as_deref().unwrap_or_default();
    let mut new = with_entry(host.format, text, &host.key, entry)
        .with_context(|| format!("{title}: {file} cannot be read and is unchanged"))?;
    if entry.is_none()
        && new != text
        && let Some(original) = backup::text_before_install(host, path, &new)
    {
        new = original;
    }
    if new == text || (entry.is_none() && old.is_none()) {
        return Ok(format!("{title}: nothing to change in {file}"));
    }
    let (done, next_step) = match entry {
        Some(_) => ("added to", host.next_step.as_str()),
        None => ("removed from", ""),
    };
    if dry_run {
        let diff = diff(text, &new);
        return Ok(format!("{title}: would be {done} {file}:\n{diff}"));
    }
    let backup = write_settings(path, old.as_deref(), &new)
        .with_context(|| format!("{title}: {file} cannot be written and is unchanged"))?
        .map(|path| format!(" (backup: {})", disk::format_path(&path)))
        .unwrap_or_default();
    Ok(format!("{title}: {done} {file}{backup}\n{next_step}"))
}

/// Reads a settings file; `None` without a file.
fn read_settings(file: &Path) -> Result<Option<String>> {
    match disk::read_text(file) {
        Ok(_) if std::fs::metadata(file)?.permissions().readonly() => bail!("it is read-only"),
        Ok(text) => Ok(Some(text)),
        // A broken link is an error.
        Err(error) if error.kind() == ErrorKind::NotFound && !file.is_symlink() => Ok(None),
        Err(error) => Err(error).context("it cannot be read"),
    }
}

/// Replaces a settings file and returns the path of the backup. Links and permissions stay.
fn write_settings(file: &Path, old: Option<&str>, new: &str) -> Result<Option<PathBuf>> {
    let Some(old) = old else {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        disk::replace(file, new.as_bytes())?;
        return Ok(None);
    };
    let real = std::fs::canonicalize(file)?;
    let permissions = std::fs::metadata(&real)?.permissions();
    let backup = backup::write(&real, old)?;
    disk::replace(&real, new.as_bytes())?;
    std::fs::set_permissions(&real, permissions)?;
    Ok(Some(backup))
}

/// Lists the removed and the added lines, without the lines that are equal at both ends.
fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let ends = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    let between = |lines: &[&str], mark: &str| -> String {
        let changed = lines.iter().take(lines.len() - tail).skip(head);
        changed.map(|line| format!("{mark} {line}\n")).collect()
    };
    between(&old, "-") + &between(&new, "+")
}

/// Returns the flags of this call, which an assistant must repeat to start the program with the same settings.
fn own_flags(config: &Config) -> Result<Vec<String>> {
    let to_text = |word: &OsString| {
        let text = word.to_str().map(str::to_owned);
        text.context("the file cannot contain a path that is not UTF-8")
    };
    config.given.iter().map(to_text).collect()
}

/// Returns the command that starts this program again, by its package runner if it was started by one.
fn own_command(flags: &[String]) -> Result<Server> {
    let executable = std::env::current_exe().context("finding this program")?;
    let is_below = |name: &str| executable.iter().any(|part| part == name);
    let program = |command: &str, arguments: &[&str]| {
        let words = arguments.iter().map(|word| (*word).to_owned());
        Server::Program(
            command.to_owned(),
            words.chain(flags.iter().cloned()).collect(),
        )
    };
    if is_below("_npx") {
        return Ok(program("npx", &["-y", "econoscope"]));
    }
    if is_below("archive-v0") && is_below("uv") {
        return Ok(program("uvx", &["econoscope"]));
    }
    // A link in PATH stays valid when an update moves the executable.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut links = std::env::split_paths(&path).map(|folder| folder.join("econoscope"));
    let leads_here =
        |link: &PathBuf| std::fs::canonicalize(link).is_ok_and(|real| real == executable);
    let link = links.find(leads_here);
    let command = link.as_ref().unwrap_or(&executable).to_str();
    let text = command.context("this program's path is not UTF-8")?;
    Ok(program(text, &[]))
}

/// Lists the hosts on this system and lets a person at the terminal choose.
fn ask_for_hosts(folders: &UserFolders) -> Result<Vec<&'static Host>> {
    let here: Vec<&Host> = HOSTS.iter().filter(|host| host.is_here(folders)).collect();
    if here.is_empty() {
        bail!("no assistant was found; name one of {}", host_names());
    }
    print("Assistants found here:")?;
    for host in &here {
        let name = &host.name;
        let title = &host.title;
        let file = host.file(folders);
        let file = disk::format_path(&file);
        print(&printable(&format!("  {name:<15} {title} ({file})")))?;
    }
    if !std::io::stdin().is_terminal() {
        print("Name one of them after the command.")?;
        return Ok(Vec::new());
    }
    print("Install for which? Enter names separated by spaces, all, or nothing to cancel:")?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    if line.trim() == "all" {
        return Ok(here);
    }
    line.split_whitespace().map(find_host).collect()
}

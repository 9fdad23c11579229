//! How a long run shows what it does: a bar on a terminal, plain lines elsewhere, or nothing.
//!
//! Everything goes to stderr; stdout belongs to answers.

use crate::store::WriteOutcome;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};

/// Shows a run while it goes on.
pub struct Progress {
    view: View,
    done: usize,
    total: usize,
}

enum View {
    /// A bar that redraws itself.
    Bar(ProgressBar),
    /// A line per step, for logs.
    Lines(Box<dyn Write + Send>),
}

impl Progress {
    /// Shows nothing.
    pub fn quiet() -> Self {
        Self::lines(Box::new(std::io::sink()))
    }

    /// A line for every step.
    pub fn lines(out: Box<dyn Write + Send>) -> Self {
        Self::new(View::Lines(out))
    }

    /// A bar when stderr is a terminal, lines otherwise, nothing when asked to be quiet.
    pub fn detect(quiet: bool) -> Self {
        let stderr = std::io::stderr();
        match (quiet, stderr.is_terminal()) {
            (true, _) => Self::quiet(),
            (false, true) => Self::new(View::Bar(ProgressBar::hidden())),
            (false, false) => Self::lines(Box::new(stderr)),
        }
    }

    fn new(view: View) -> Self {
        Self {
            view,
            done: 0,
            total: 0,
        }
    }

    /// A stretch of work of so many steps begins; `task` is a participle: "reading files", "fetching".
    pub(super) fn start(&mut self, task: &'static str, total: usize) {
        (self.done, self.total) = (0, total);
        if let View::Bar(bar) = &mut self.view {
            *bar = ProgressBar::new(total as u64);
            let style = "{prefix:>14} [{bar:32}] {pos}/{len} {eta:>4} {wide_msg}";
            // The default style is a bar as well, should the template ever be refused.
            let style = ProgressStyle::with_template(style);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(task);
            bar.tick();
        } else {
            self.tell(&format!("{task}: {total}"));
        }
    }

    /// A step begins.
    pub(super) fn step(&mut self, name: &str) {
        if let View::Bar(bar) = &self.view {
            bar.set_message(name.to_owned());
        }
    }

    /// A step has ended: what came of it, or why it failed.
    pub(super) fn done(&mut self, name: &str, result: Result<String, String>) {
        self.done += 1;
        match (&self.view, result) {
            (View::Bar(bar), result) => {
                if let Err(why) = result {
                    bar.println(format!("{name}: FAILED: {why}"));
                }
                bar.inc(1);
            }
            (_, result) => {
                let how = result.unwrap_or_else(|why| format!("FAILED: {why}"));
                self.tell(&format!("[{}/{}] {name}: {how}", self.done, self.total));
            }
        }
    }

    /// A step has ended as one before it, of which enough was said.
    pub(super) fn pass(&mut self) {
        self.done += 1;
        if let View::Bar(bar) = &self.view {
            bar.inc(1);
        }
    }

    /// Something worth knowing that is no step.
    pub(super) fn tell(&mut self, text: &str) {
        match &mut self.view {
            View::Bar(bar) => bar.println(text),
            // A log that cannot be written must not stop the work it tells of.
            View::Lines(out) => writeln!(out, "{text}").unwrap_or_default(),
        }
    }

    /// The work has ended; `summary` is a sentence.
    pub(super) fn finish(&mut self, summary: &str) {
        self.tell(summary);
        if let View::Bar(bar) = &self.view {
            bar.finish_and_clear();
        }
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Progress({}/{})", self.done, self.total)
    }
}

/// What the store took.
pub(super) fn describe(written: WriteOutcome) -> String {
    match (written.added, written.revised) {
        (0, 0) => "unchanged".to_owned(),
        (added, 0) => format!("{added} new"),
        (added, revised) => format!("{added} new, {revised} revised"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::testing::Shared;

    #[test]
    fn lines_tell_every_step_with_its_number() {
        let out = Shared::default();
        let mut progress = Progress::lines(Box::new(out.clone()));
        let written = |added, revised| Ok(describe(WriteOutcome { added, revised }));
        progress.start("fetching", 3);
        progress.step("DGS10");
        progress.done("DGS10", written(2, 1));
        progress.done("UNRATE", written(0, 0));
        progress.done("X", Err("no data".into()));
        progress.finish("2 read, 1 failed.");
        assert_eq!(
            out.text(),
            "fetching: 3\n[1/3] DGS10: 2 new, 1 revised\n[2/3] UNRATE: unchanged\n[3/3] X: FAILED: no data\n2 read, 1 failed.\n"
        );
    }
}

//! Progress of a long run on stderr: a bar on a terminal, plain lines elsewhere, or nothing.

use crate::store::WriteOutcome;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};

/// Shows the progress of a run.
pub struct Progress {
    /// Counts the steps, and shows them unless there is an `output`.
    bar: ProgressBar,
    /// Receives a line for every step.
    output: Option<Box<dyn Write + Send>>,
}

impl Progress {
    /// Shows nothing.
    pub fn quiet() -> Self {
        Self::lines(Box::new(std::io::sink()))
    }

    /// Writes a line for every step.
    pub fn lines(output: Box<dyn Write + Send>) -> Self {
        Self {
            bar: ProgressBar::hidden(),
            output: Some(output),
        }
    }

    /// Shows a bar when stderr is a terminal, lines when it is not, and nothing when `quiet`.
    pub fn detect(quiet: bool) -> Self {
        let stderr = std::io::stderr();
        if quiet {
            return Self::quiet();
        }
        if !stderr.is_terminal() {
            return Self::lines(Box::new(stderr));
        }
        let bar = ProgressBar::hidden();
        Self { bar, output: None }
    }

    /// Starts a phase of `total` steps, such as "reading files".
    pub(super) fn start(&mut self, phase: &'static str, total: usize) {
        if self.output.is_some() {
            self.bar = ProgressBar::hidden();
            self.bar.set_length(total as u64);
            self.print(&format!("{phase}: {total}"));
            return;
        }
        self.bar = ProgressBar::new(total as u64);
        let template = "{prefix:>14} [{bar:32}] {pos}/{len} {eta:>4} {wide_msg}";
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar.set_style(style);
        self.bar.set_prefix(phase);
        self.bar.tick();
    }

    /// Starts a step.
    pub(super) fn start_step(&mut self, name: &str) {
        self.bar.set_message(name.to_owned());
    }

    /// Ends a step with its result, or the reason for its failure.
    pub(super) fn finish_step(&mut self, name: &str, result: Result<String, String>) {
        self.bar.inc(1);
        if self.output.is_some() {
            let position = self.bar.position();
            let length = self.bar.length().unwrap_or_default();
            let text = result.unwrap_or_else(|why| format!("FAILED: {why}"));
            self.print(&format!("[{position}/{length}] {name}: {text}"));
        } else if let Err(why) = result {
            // The bar itself shows a success.
            self.print(&format!("{name}: FAILED: {why}"));
        }
    }

    /// Ends a step without a line, because an earlier step gave the same reason.
    pub(super) fn skip_step(&mut self) {
        self.bar.inc(1);
    }

    /// Prints a remark.
    pub(super) fn print(&mut self, text: &str) {
        match &mut self.output {
            // A log that cannot be written must not stop the run.
            Some(output) => writeln!(output, "{text}").unwrap_or_default(),
            None => self.bar.println(text),
        }
    }

    /// Ends the run.
    pub(super) fn finish(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Formats what the store wrote.
pub(super) fn format_outcome(written: WriteOutcome) -> String {
    match (written.added, written.revised) {
        (0, 0) => "unchanged".to_owned(),
        (added, 0) => format!("{added} new"),
        (added, revised) => format!("{added} new, {revised} revised"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::testing::SharedBuffer;

    #[test]
    fn lines_show_every_step_with_its_number() {
        let out = SharedBuffer::default();
        let mut progress = Progress::lines(Box::new(out.clone()));
        let written = |added, revised| Ok(format_outcome(WriteOutcome { added, revised }));
        progress.start("fetching", 3);
        progress.start_step("DGS10");
        progress.finish_step("DGS10", written(2, 1));
        progress.finish_step("UNRATE", written(0, 0));
        progress.finish_step("X", Err("no data".into()));
        progress.finish();
        assert_eq!(
            out.text(),
            "fetching: 3\n[1/3] DGS10: 2 new, 1 revised\n[2/3] UNRATE: unchanged\n[3/3] X: FAILED: no data\n"
        );
    }
}

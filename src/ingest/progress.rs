//! What a long run tells while it runs, and how that is shown: bars on a terminal, plain lines elsewhere.
//!
//! Everything goes to stderr; stdout belongs to answers.

use crate::store::Written;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};

/// One thing that happened in a long run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress {
    /// A stretch of work begins.
    Started {
        /// What is done, as a participle: "reading files", "fetching".
        task: &'static str,
        /// How many steps it has.
        total: usize,
    },
    /// A step begins.
    Step {
        /// File or series.
        name: String,
    },
    /// A step has ended.
    Done {
        /// File or series.
        name: String,
        /// How.
        result: StepResult,
    },
    /// Something worth knowing that is no step.
    Note(String),
    /// The stretch of work has ended.
    Finished {
        /// What came of it, as a sentence.
        summary: String,
    },
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepResult {
    /// That many figures were read.
    Read(usize),
    /// The store took these.
    Written(Written),
    /// Nothing was to be done, for this reason.
    Skipped(String),
    /// It failed; the store is as it was.
    Failed(String),
}

impl std::fmt::Display for StepResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Read(rows) => write!(f, "{rows} figures"),
            Self::Written(w) if w.added == 0 && w.revised == 0 => f.write_str("unchanged"),
            Self::Written(w) if w.revised == 0 => write!(f, "{} new", w.added),
            Self::Written(w) => write!(f, "{} new, {} revised", w.added, w.revised),
            Self::Skipped(why) => write!(f, "skipped: {why}"),
            Self::Failed(why) => write!(f, "FAILED: {why}"),
        }
    }
}

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// A bar that redraws itself.
    Bar,
    /// A line per step, for logs.
    Lines,
    /// Nothing.
    Quiet,
}

impl Show {
    /// Bars when stderr is a terminal, lines otherwise, nothing when asked to be quiet.
    pub fn detect(quiet: bool) -> Self {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Bar,
            (false, false) => Self::Lines,
        }
    }
}

/// Shows [`Progress`] on stderr.
pub struct Renderer {
    show: Show,
    bar: ProgressBar,
    done: usize,
    total: usize,
    out: Box<dyn Write + Send>,
}

impl std::fmt::Debug for Renderer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer")
            .field("show", &self.show)
            .field("done", &self.done)
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

impl Renderer {
    /// Shows on stderr in the given way.
    pub fn new(show: Show) -> Self {
        Self::onto(show, Box::new(std::io::stderr()))
    }

    fn onto(show: Show, out: Box<dyn Write + Send>) -> Self {
        Self {
            show,
            bar: ProgressBar::hidden(),
            done: 0,
            total: 0,
            out,
        }
    }

    /// Shows one event.
    pub fn on(&mut self, event: &Progress) {
        match self.show {
            Show::Bar => self.draw(event),
            Show::Lines => {
                if let Some(line) = self.line(event) {
                    // A log that cannot be written must not stop the work it tells of.
                    writeln!(self.out, "{line}").unwrap_or_default();
                }
            }
            Show::Quiet => {}
        }
    }

    fn line(&mut self, event: &Progress) -> Option<String> {
        match event {
            Progress::Started { task, total } => {
                (self.done, self.total) = (0, *total);
                Some(format!("{task}: {total}"))
            }
            Progress::Step { .. } => None,
            Progress::Done { name, result } => {
                self.done += 1;
                Some(format!("[{}/{}] {name}: {result}", self.done, self.total))
            }
            Progress::Note(text) => Some(text.clone()),
            Progress::Finished { summary } => Some(summary.clone()),
        }
    }

    fn draw(&mut self, event: &Progress) {
        match event {
            Progress::Started { task, total } => {
                self.bar = ProgressBar::new(u64::try_from(*total).unwrap_or(u64::MAX));
                // The default style is a bar as well, should this template ever be refused.
                let style = ProgressStyle::with_template(
                    "{prefix:>14} [{bar:32}] {pos}/{len} {eta:>4} {wide_msg}",
                );
                self.bar
                    .set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
                self.bar.set_prefix(*task);
                self.bar.tick();
            }
            Progress::Step { name } => self.bar.set_message(name.clone()),
            Progress::Done { name, result } => {
                if matches!(result, StepResult::Failed(_)) {
                    self.bar.println(format!("{name}: {result}"));
                }
                self.bar.inc(1);
            }
            Progress::Note(text) => self.bar.println(text),
            Progress::Finished { summary } => {
                self.bar.println(summary);
                self.bar.finish_and_clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn shown(show: Show) -> String {
        let out = Shared::default();
        let mut renderer = Renderer::onto(show, Box::new(out.clone()));
        let done = |name: &str, result| Progress::Done {
            name: name.to_owned(),
            result,
        };
        for event in [
            Progress::Started {
                task: "fetching",
                total: 3,
            },
            Progress::Step {
                name: "DGS10".into(),
            },
            done(
                "DGS10",
                StepResult::Written(Written {
                    added: 2,
                    revised: 1,
                }),
            ),
            done("UNRATE", StepResult::Written(Written::default())),
            done("X", StepResult::Failed("no data".into())),
            Progress::Finished {
                summary: "2 read, 1 failed.".into(),
            },
        ] {
            renderer.on(&event);
        }
        let bytes = out.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn lines_tell_every_step_with_its_number() {
        assert_eq!(
            shown(Show::Lines),
            "fetching: 3\n[1/3] DGS10: 2 new, 1 revised\n[2/3] UNRATE: unchanged\n[3/3] X: FAILED: no data\n2 read, 1 failed.\n"
        );
    }

    #[test]
    fn quiet_says_nothing_and_bars_write_no_lines() {
        assert_eq!(shown(Show::Quiet), "");
        assert_eq!(shown(Show::Bar), "");
    }
}

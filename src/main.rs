//! Parses the command line, runs it, prints the error chain, and returns the exit code.

mod app;
mod cli;
mod config;
mod live;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let config = config::load(std::env::args_os().collect());
    match config.and_then(cli::run) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("econoscope: {error:#}");
            ExitCode::FAILURE
        }
    }
}

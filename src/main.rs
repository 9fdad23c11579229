//! Parses the command line, runs it, prints the error chain, and returns the exit code.

mod app;
mod cli;
mod config;
mod live;

use clap::Parser;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::run(config::Config::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("econoscope: {error:#}");
            ExitCode::FAILURE
        }
    }
}

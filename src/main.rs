//! Hands the command line to [`econoscope::cli`] and returns its exit code.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    econoscope::cli::main(std::env::args_os().collect())
}

//! The program: runs [`econoscope::cli`].

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    econoscope::cli::main(std::env::args_os().collect())
}

#!/usr/bin/env node
// Starts the binary of the package for this system, which npm has installed beside this one.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

/** The package for this system: `@econoscope/linux-x64`, `@econoscope/linux-arm64-musl`. */
function packageName() {
  const name = `@econoscope/${process.platform}-${process.arch}`;
  if (process.platform !== "linux") return name;
  const report = process.report && process.report.getReport();
  const glibc = report && report.header && report.header.glibcVersionRuntime;
  return glibc ? name : `${name}-musl`;
}

function binary() {
  const name = packageName();
  const program = process.platform === "win32" ? "econoscope.exe" : "econoscope";
  try {
    return require.resolve(`${name}/bin/${program}`);
  } catch {
    console.error(
      `econoscope: the package ${name} is not installed. ` +
        "Either there is none for this system, or npm was told to leave optional packages out: " +
        "install again with --include=optional, or use `uvx econoscope`, `cargo install econoscope` or the container image.",
    );
    process.exit(1);
  }
}

const child = spawn(binary(), process.argv.slice(2), { stdio: "inherit" });
// The child ends by what reaches it; this process ends as it did.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  try {
    process.on(signal, () => child.kill(signal));
  } catch {
    // This system has no such signal.
  }
}
child.on("error", (error) => {
  console.error(`econoscope: the binary cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + (os.constants.signals[signal] || 0) : code);
});

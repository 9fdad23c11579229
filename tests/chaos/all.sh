#!/bin/sh
# Every chaos script in turn; with --short in the form for CI, under three minutes. ECONOSCOPE names the binary
# (else target/release/econoscope). A script that fails is told at the end; the others run all the same.
set -eu
here=$(dirname "$0")
failed=
for script in kill_during_import kill_during_sync flipped_bytes disk_full slow_sockets big_bodies sessions forged_addresses junk stop_in_flight; do
    python3 "$here/$script.py" "$@" || failed="$failed $script"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }

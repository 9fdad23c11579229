#!/bin/sh
# Every chaos script in turn; with --short in the form for CI. ECONOSCOPE names the binary.
set -eu
here=$(dirname "$0")
for script in kill_during_import flipped_bytes disk_full slow_sockets forged_addresses junk stop_in_flight; do
    python3 "$here/$script.py" "$@"
done

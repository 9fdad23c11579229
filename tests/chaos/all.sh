#!/bin/sh
# Every chaos script in turn; with --short in the form for CI, under five minutes. ECONOSCOPE names the binary
# (else target/release/econoscope). A script that fails runs once more, for other work
# on the machine can make it late, and is told at the end if it fails again; the others run all the same. In full the soak
# alone takes an hour. Where there is no faketime, `--without-clock-jumps`, before all else, leaves out what needs it.
set -eu
here=$(dirname "$0")
failed=
jumps=clock_jumps
if [ "${1:-}" = --without-clock-jumps ]; then
    jumps=
    shift
fi
for script in kill_during_import kill_during_sync flipped_bytes disk_full full_disk_upstream store_replaced slow_sockets \
    descriptors big_bodies sessions listeners forged_addresses junk stop_in_flight hostile soak $jumps; do
    python3 "$here/$script.py" "$@" || { echo "once more: $script"; python3 "$here/$script.py" "$@"; } || failed="$failed $script"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }

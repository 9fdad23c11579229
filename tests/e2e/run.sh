#!/usr/bin/env bash
# End to end: the release binary on the bundled history, then on imported test data, driven over stdio and
# HTTP by the official Python MCP client. Usage: run.sh BINARY WORKDIR
set -euo pipefail
binary=$1 work=$2 here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../data/series
mkdir -p "$work"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "mcp==2.3.0" "icalendar==7.3.2"

serve() { # STORE -> sets base and pid
  : >"$work/serve.log" # the last server's address must not be taken for this one's
  "$binary" --store "$1" serve --no-sync --listen 127.0.0.1:0 2>"$work/serve.log" &
  pid=$!
  for _ in $(seq 100); do
    base=$(sed -n 's/.* on \(http:[^ ]*\) .*/\1/p' "$work/serve.log")
    [ -n "$base" ] && return
    sleep 0.05
  done
  cat "$work/serve.log"; exit 1
}
stop() { kill -TERM "$pid"; wait "$pid" || { echo "serve did not drain"; exit 1; }; }

rm -f "$work"/*.db*
echo "- on the bundled history, from nothing"
serve "$work/empty.db"
"$work/venv/bin/python" "$here/drive.py" "$binary" "$work/empty.db" "$base"
stop

echo "- on imported data"
"$binary" --store "$work/full.db" import --bare "$data"
again=$("$binary" --store "$work/full.db" import --bare "$data" 2>&1)
echo "$again" | grep -q ": 0 new, 0 revised" || { echo "a second import wrote: $again"; exit 1; }
serve "$work/full.db"
"$work/venv/bin/python" "$here/drive.py" "$binary" "$work/full.db" "$base" --imported
stop

echo "- bad files"
mkdir -p "$work/bad"
printf 'date,value\n2026-01-01,1\n2026-02-01,oops\n' > "$work/bad/UNRATE.csv"
printf 'date,value\n2026-01-01,5\n' > "$work/bad/FEDFUNDS.csv"
if "$binary" --store "$work/bad.db" import --bare "$work/bad" 2> "$work/bad.log"; then
  echo "a broken row must exit 1"; exit 1
fi
grep -q "UNRATE.csv line 3" "$work/bad.log" || { cat "$work/bad.log"; exit 1; }
"$binary" --store "$work/bad.db" call get_time_series seriesId=FEDFUNDS start=max | grep -q '"rowCount":1'
echo "not a database" > "$work/foreign.db"
if "$binary" --store "$work/foreign.db" call get_regime 2> "$work/foreign.log"; then exit 1; fi
grep -q "not a database" "$work/foreign.db"

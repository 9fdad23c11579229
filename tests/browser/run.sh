#!/bin/sh
# Looks at every surface in Chromium: pages, widgets, MCP Apps inside a host. Fails on an accessibility
# violation, a console error, horizontal overflow, a missing handshake, or markup that came in by a name. Then
# hovers, zooms, types and follows links, and fails where a figure under the crosshair is not the API's, where the
# first load of the home page or of a widget is too heavy, or, with QUIET=1, where sixty years of daily figures stutter or the
# start page is painted late.
#
# Usage: tests/browser/run.sh FOLDER BINARY [DATA]
#   FOLDER  outside the repository; the test's own packages and its screenshots go there
#   BINARY  the econoscope program
#   DATA    optional folder of series to import first; without it the bundled history answers
# Needs Node 20 or newer and Chromium (Debian: apt-get install chromium; CHROMIUM names another one).
set -eu
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
folder=$(absolute "$1")
binary=$(absolute "$2")
data=${3:-}
[ -z "$data" ] || data=$(absolute "$data")
here=$(cd "$(dirname "$0")" && pwd)
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || { echo "no Chromium: apt-get install chromium, or name one with CHROMIUM"; exit 1; }
mkdir -p "$folder/shots"
cp "$here/host.html" "$here/host.mjs" "$here/check.mjs" "$here/touch.mjs" "$here/tasks.mjs" "$here/package.json" "$here/../addresses.json" "$folder/"
cd "$folder"
[ -d node_modules/esbuild ] || npm install --no-audit --no-fund --loglevel=error
npx esbuild host.mjs --bundle --format=esm --outfile=host.js --log-level=error
store=$folder/browser.db
rm -f "$store" "$store"-*
if [ -n "$data" ]; then "$binary" --store "$store" import --bare "$data" >/dev/null; fi
port=${PORT:-18471}
"$binary" --store "$store" serve --no-sync --listen "127.0.0.1:$port" 2>"$folder/serve.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
tries=0
until curl -fsS "http://127.0.0.1:$port/health" >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { cat "$folder/serve.log"; echo "the server did not start"; exit 1; }
  sleep 0.2
done
export BASE="http://127.0.0.1:$port" SHOTS="$folder/shots"
node check.mjs
node touch.mjs
node tasks.mjs

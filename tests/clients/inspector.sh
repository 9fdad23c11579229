#!/usr/bin/env bash
# Lets the protocol's Inspector look at a server: lists, calls, pages and skills, over stdio and HTTP, in both eras.
#   tests/clients/inspector.sh BINARY FOLDER
# FOLDER takes Node 24 and the Inspector. Fails at the first thing the Inspector objects to or warns of.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
packages="@modelcontextprotocol/inspector@2.12.0"
# shellcheck source=tests/clients/node.sh
. "$here/node.sh"
# shellcheck source=tests/clients/serve.sh
. "$here/serve.sh"
inspector="$folder/node_modules/.bin/mcp-inspector"

passed=0
check() {
  local name=$1
  shift
  if ! "$@" >"$folder/out.txt" 2>"$folder/err.txt"; then
    echo "FAILED: $name" >&2
    tail -20 "$folder/out.txt" "$folder/err.txt" >&2
    exit 1
  fi
  if grep -q '^Warning:' "$folder/err.txt"; then
    echo "WARNED: $name" >&2
    cat "$folder/err.txt" >&2
    exit 1
  fi
  passed=$((passed + 1))
}

for era in legacy modern; do
  for way in http stdio; do
    if [ "$way" = http ]; then
      inspect() { "$inspector" --cli "$url" --transport http --protocol-era "$era" "$@"; }
    else
      inspect() { "$inspector" --cli "$binary" --store "$folder/stdio.db" stdio --no-sync --protocol-era "$era" "$@"; }
    fi
    check "$era $way tools/list" inspect --method tools/list --strict
    check "$era $way resources/list" inspect --method resources/list
    check "$era $way templates" inspect --method resources/templates/list
    check "$era $way read regime" inspect --method resources/read --uri macro://regime
    check "$era $way read csv" inspect --method resources/read --uri 'macro://series/DGS10.csv?start=1y'
    check "$era $way prompts/list" inspect --method prompts/list
    check "$era $way prompt" inspect --method prompts/get --prompt-name compare_two --prompt-args first=10y second=vix
    check "$era $way metric" inspect --method tools/call --tool-name get_metric --tool-arg ticker=10y
    grep -q DGS10 "$folder/out.txt"
    check "$era $way summary" inspect --method tools/call --tool-name get_macro_summary
    check "$era $way skills" inspect --method skills/list --verify --require-digests
    check "$era $way apps" inspect --method tools/list --app-info --advertise-apps
  done
done
echo "inspector: $passed checks passed"

#!/usr/bin/env bash
# The yara rules of cisco-ai-mcp-scanner find nothing suspicious in any tool, prompt or resource.
#   tests/clients/scan.sh BINARY FOLDER
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$folder/scanner/bin/mcp-scanner" ]; then
  python3 -m venv "$folder/scanner"
  "$folder/scanner/bin/pip" install --quiet --disable-pip-version-check cisco-ai-mcp-scanner==4.8.7
fi
# shellcheck source=tests/clients/serve.sh
. "$here/serve.sh"
"$folder/scanner/bin/mcp-scanner" --analyzers yara --format summary remote --server-url "$url" >"$folder/scan.log" 2>&1 ||
  { tail -40 "$folder/scan.log" >&2; exit 1; }
grep -E '^(Total tools scanned|Safe items|Unsafe items)' "$folder/scan.log"
for needed in 'Total tools scanned: [1-9]' 'Unsafe items: 0'; do
  grep -q "^$needed" "$folder/scan.log" || { cat "$folder/scan.log" >&2; exit 1; }
done

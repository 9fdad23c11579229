#!/usr/bin/env bash
# mcp-fuzzer throws random calls at the server: it must neither crash nor break the transport.
#   tests/clients/fuzz.sh BINARY FOLDER [RUNS]
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
runs=${3:-5}
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$folder/fuzzer/bin/mcp-fuzzer" ]; then
  python3 -m venv "$folder/fuzzer"
  "$folder/fuzzer/bin/pip" install --quiet --disable-pip-version-check mcp-fuzzer==0.7.0
fi
# shellcheck source=tests/clients/serve.sh
. "$here/serve.sh"
(cd "$folder" && fuzzer/bin/mcp-fuzzer --mode all --phase both --protocol streamablehttp --endpoint "$url" --runs "$runs" \
  --no-network --allow-host localhost --allow-host 127.0.0.1 --output-dir "$folder/fuzz" >"$folder/fuzz.log" 2>&1) ||
  { tail -40 "$folder/fuzz.log" >&2; exit 1; }
kill -0 "$server" || { echo "the server is gone" >&2; exit 1; }
if grep -Ei 'panick' "$folder/server.log"; then exit 1; fi
# It must still answer.
curl -sf -X POST "$url" -H 'content-type: application/json' \
  -d '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' |
  grep -q econoscope
for none in 'Total Crashes: 0' 'Total Transport/Protocol Anomalies: 0'; do
  grep -q "^$none" "$folder/fuzz.log" || { grep -Ei 'crash|anomal' "$folder/fuzz.log" >&2; exit 1; }
done
grep '^Total ' "$folder/fuzz.log"

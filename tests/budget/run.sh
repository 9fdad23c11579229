#!/usr/bin/env bash
# Counts what three hot requests cost in instructions, and compares with budgets.json.
#
#     tests/budget/run.sh target/release/econoscope /tmp/folder
#
# Instructions hardly depend on what else the machine does, so a regression of a tenth shows where times would not. What
# the server does each second counts with them: beside builds, when 200 requests take long, that is up to another tenth.
# Needs valgrind and python3; takes about a minute.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
binary=${1:?the release binary}
folder=${2:?a folder for the store and the counts}
mkdir -p "$folder"
exec python3 "$here/count.py" "$(realpath "$binary")" "$(realpath "$folder")" "$here/budgets.json"

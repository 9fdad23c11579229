#!/usr/bin/env bash
# Real client libraries and hosts against the server over stdio, and what of its answers each gets: a table.
#   tests/clients/hosts.sh BINARY FOLDER [--long]
# FOLDER takes the libraries and the hosts; --long adds generations between and more frameworks.
set -euo pipefail
exec python3 "$(dirname "$0")/hosts/run.py" "$@"

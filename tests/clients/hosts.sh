#!/usr/bin/env bash
# Real client libraries, agent frameworks and hosts against the server over stdio and HTTP, and what of its answers each
# gets and a model is sent: two tables. A run takes about two minutes, with --long about eight.
#   tests/clients/hosts.sh BINARY FOLDER [--long] [NAME...]
# FOLDER takes the libraries and the hosts; --long adds generations between, more frameworks and more hosts; with names it
# drives those alone.
set -euo pipefail
exec python3 "$(dirname "$0")/hosts/run.py" "$@"

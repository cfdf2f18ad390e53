#!/bin/sh
# Makes a root file system for containers from Debian's packages, with Node from the npm package `node`, and
# writes it as a tar file. For machines that reach Debian and npm but no image registry. Needs root. Progress goes to
# standard error.
#
#   base-from-debian.sh OUTPUT.tar
set -eu

out=${1:?usage: base-from-debian.sh OUTPUT.tar}

node_version=${NODE_VERSION:-22.23.3}
npm_version=${NPM_VERSION:-10.9.4}
suite=${DEBIAN_SUITE:-bookworm}
packages=git,ripgrep,ca-certificates,findutils,procps,curl,python3-minimal,iproute2

say() { printf '%s\n' "$*" >&2; }

if ! command -v mmdebstrap >/dev/null 2>&1; then
  say "installing mmdebstrap"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >&2 ||
    { apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap >&2; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

say "fetching Node $node_version from the npm registry"
mkdir "$work/npm"
printf '{"private":true}\n' > "$work/npm/package.json"
# The package's own install step fetches the binary package for this machine; it is run in this folder only.
(cd "$work/npm" && npm install --no-save --no-fund --no-audit --loglevel=error "node@$node_version" "npm@$npm_version" >&2)
[ -x "$work/npm/node_modules/node/bin/node" ] || { say "the npm package node@$node_version brought no binary for this machine"; exit 1; }

say "making a Debian $suite base"
# Only what a container never reads is left out; licence texts stay. mmdebstrap ends with a SIGHUP to its whole
# process group, so it gets one of its own.
setsid --wait mmdebstrap --quiet --variant=minbase --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --customize-hook="mkdir -p \"\$1/usr/local/bin\" \"\$1/usr/local/lib/node_modules\"" \
  --customize-hook="cp -L \"$work/npm/node_modules/node/bin/node\" \"\$1/usr/local/bin/node\"" \
  --customize-hook="cp -R \"$work/npm/node_modules/npm\" \"\$1/usr/local/lib/node_modules/npm\"" \
  --customize-hook="ln -s ../lib/node_modules/npm/bin/npm-cli.js \"\$1/usr/local/bin/npm\"" \
  --customize-hook="ln -s ../lib/node_modules/npm/bin/npx-cli.js \"\$1/usr/local/bin/npx\"" \
  --customize-hook="rm -rf \"\$1/var/lib/apt/lists\"/* \"\$1/var/cache/apt\"/* \"\$1/etc/resolv.conf\" \"\$1/etc/hostname\"" \
  "$suite" "$out"

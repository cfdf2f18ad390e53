#!/bin/sh
# What quickstart and test share: dependencies, build, a container engine, the sandbox image. Every step is skipped
# when there is nothing to do. Source it from the project's root; `step` and `finish` time and tell.

set -eu

DOCKERD_LOG=${NICEEVAL_DOCKERD_LOG:-/var/log/niceeval-dockerd.log}
script_started=$(date +%s)

say() { printf '%s\n' "$*"; }

# step "what" command...: tells what it does and how long it took. Inside, `set -e` does not hold: a command that
# matters ends with `|| return`.
step() {
  what=$1
  shift
  say "==> $what"
  step_started=$(date +%s)
  "$@" || { code=$?; say "    failed after $(($(date +%s) - step_started)) s: $what"; exit "$code"; }
  say "    done in $(($(date +%s) - step_started)) s"
}

finish() { say "==> all done in $(($(date +%s) - script_started)) s"; }

check_node() {
  command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || {
    say "    Node.js 20.19 or newer and npm are needed. Install them, for instance from https://nodejs.org."
    return 3
  }
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' || {
    say "    Node.js $(node --version) is too old: 20.19 or newer is needed."
    return 3
  }
  say "    Node.js $(node --version), npm $(npm --version)"
}

# Installed packages are up to date when the lock file is the one they were installed from.
install_packages() {
  stamp=node_modules/.niceeval-lock
  if [ -f "$stamp" ] && cmp -s package-lock.json "$stamp"; then
    say "    up to date"
    return 0
  fi
  npm ci --no-fund --no-audit --loglevel=error || return
  cp package-lock.json "$stamp"
}

engine_answers() { docker info >/dev/null 2>&1; }

start_engine() {
  if engine_answers; then
    say "    an engine answers: $(docker version --format '{{.Server.Version}}' 2>/dev/null || echo unknown version)"
    return 0
  fi
  if [ "$(id -u)" != 0 ] || [ ! -f /etc/debian_version ]; then
    say "    No container engine answers, and only root on a Debian-like machine can have it installed from here."
    say "    Install Docker 20.10 or newer (https://docs.docker.com/engine/install/), start it, and check with: docker info"
    return 3
  fi
  if ! command -v dockerd >/dev/null 2>&1; then
    say "    installing docker.io from Debian's packages"
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends docker.io >/dev/null 2>&1 || {
      apt-get update -qq && apt-get install -y -qq --no-install-recommends docker.io >/dev/null
    } || {
      say "    docker.io could not be installed; install Docker 20.10 or newer by hand"
      return 3
    }
  fi
  if [ -d /run/systemd/system ]; then
    say "    starting it with systemctl"
    systemctl start docker || return
  else
    # Pid files of an engine that was killed keep the next one from starting.
    for file in /var/run/docker.pid /var/run/docker/containerd/containerd.pid; do
      [ -f "$file" ] || continue
      case "$(cat "/proc/$(cat "$file")/comm" 2>/dev/null || true)" in dockerd | containerd) ;; *) rm -f "$file" ;; esac
    done
    say "    no init system: starting dockerd by hand; it is left running, its log is $DOCKERD_LOG"
    setsid nohup dockerd >>"$DOCKERD_LOG" 2>&1 </dev/null &
  fi
  waited=0
  until engine_answers; do
    waited=$((waited + 1))
    if [ "$waited" -gt 120 ]; then
      say "    the engine did not answer within 60 s; the end of $DOCKERD_LOG:"
      tail -n 20 "$DOCKERD_LOG" 2>/dev/null || true
      return 1
    fi
    sleep 0.5
  done
  say "    the engine answers: $(docker version --format '{{.Server.Version}}')"
}

# A second engine, for tests only: they start a service of their own and leave nothing of it.
install_podman() {
  if command -v podman >/dev/null 2>&1 && [ -x /bin/busybox ]; then
    say "    $(podman --version)"
    return 0
  fi
  if [ "$(id -u)" != 0 ] || [ ! -f /etc/debian_version ]; then
    say "    podman and a static busybox are needed for its tests, and only root on a Debian-like machine can have them installed from here"
    return 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends podman busybox-static containernetworking-plugins >/dev/null 2>&1 || {
    apt-get update -qq && apt-get install -y -qq --no-install-recommends podman busybox-static containernetworking-plugins >/dev/null
  } || return
  say "    $(podman --version)"
}

set_up() {
  step "checking Node.js" check_node
  step "installing npm packages" install_packages
  step "building" npm run --silent build
  step "container engine" start_engine
  step "sandbox image (the first time one to five minutes)" node dist/cli/main.js images build
}

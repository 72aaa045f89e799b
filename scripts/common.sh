# What the scripts share: words for people, patience with networks, packages of the system. To be sourced.
# Each script sets `name`, which its words begin with.
# shellcheck shell=sh

export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT

say() { printf '[%s] %s\n' "$name" "$*"; }

fail() {
    for line in "$@"; do printf '[%s] %s\n' "$name" "$line" >&2; done
    exit 1
}

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
    "$@" </dev/null >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        return 1
    }
}

# insist COMMAND...: again after a pause, for networks that hiccup.
insist() {
    for pause in 2 5 0; do
        quietly "$@" && return 0
        [ "$pause" -eq 0 ] || { say "that failed; trying again in $pause s"; sleep "$pause"; }
    done
    return 1
}

as_root() { [ "$(id -u)" -eq 0 ]; }

has() { command -v "$1" >/dev/null 2>&1; }

# system_package APT DNF APK: installs one package through whichever package manager is there.
system_package() {
    as_root || return 1
    if has apt-get; then
        insist apt-get -qq update && quietly apt-get -qq install --yes --no-install-recommends "$1"
    elif has dnf; then
        insist dnf --quiet --assumeyes install "$2"
    elif has apk; then
        insist apk add --quiet "$3"
    else
        return 1
    fi
}

# hand_on_index PYTHON: uv does not read pip's settings, so those that decide where packages come from are handed on.
hand_on_index() {
    index=${PIP_INDEX_URL:-$("$1" -m pip config get global.index-url 2>/dev/null || true)}
    [ -z "$index" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$index}"
    [ -z "${PIP_CERT:-}" ] || export SSL_CERT_FILE="${SSL_CERT_FILE:-$PIP_CERT}"
    export UV_HTTP_TIMEOUT="${UV_HTTP_TIMEOUT:-180}"
}

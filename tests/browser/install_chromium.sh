#!/bin/sh
# The browser tests drive Debian's Chromium. Install it where it is missing and may be installed; say so otherwise.
set -u
if command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || [ -n "${PLANVIZ_CHROMIUM:-}" ]; then
    exit 0
fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "installing chromium for the browser tests"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null && exit 0
fi
echo "No Chromium was found and it cannot be installed here: the browser tests will be skipped." >&2
echo "Install it (Debian: apt-get install chromium) or set PLANVIZ_CHROMIUM to its path." >&2
exit 0

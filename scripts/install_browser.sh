#!/bin/sh
# Installs Debian's chromium and CJK fonts for the browser tests where it may; else says so.
if command -v chromium >/dev/null 2>&1 && fc-list :lang=zh 2>/dev/null | grep -q .; then
	exit 0
fi
if command -v apt-get >/dev/null 2>&1; then
	if [ "$(id -u)" = 0 ]; then run=""; elif sudo -n true 2>/dev/null; then run="sudo -n"; else run="no"; fi
	if [ "$run" != "no" ]; then
		echo "Installing chromium and CJK fonts for the browser tests …"
		{ $run apt-get update -qq && DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq \
			--no-install-recommends chromium fonts-noto-cjk fontconfig; } >/dev/null 2>&1 && exit 0
	fi
fi
echo "chromium or CJK fonts are missing and cannot be installed here: the browser tests will be skipped."
exit 0

#!/usr/bin/env bash
# Doxygen reports no warnings for the API, and everything is documented except members with self-explanatory names:
# ./api.sh SOURCE_DIR
set -euo pipefail
command -v doxygen >/dev/null || { echo "SKIPPED: there is no doxygen"; exit 0; }
cd "$1"
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $pages"; } | doxygen - >"$pages/log" 2>&1 || { cat "$pages/log"; exit 1; }
[[ -s $pages/html/classkalaba_1_1Ensemble.html ]] || { echo "there is no page of kalaba::Ensemble"; exit 1; }
! grep -v ' Member .* is not documented' "$pages/log"

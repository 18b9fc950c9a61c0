#!/usr/bin/env bash
# Describes and runs every mechanism of docs/mechanisms.md: ./mechanisms.sh SOURCE_DIR KALABA
set -euo pipefail
kalaba=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v work="$work" '
  /^```toml$/ { inside = 1; ++count; next }
  /^```$/ { inside = 0 }
  inside { print > (work "/" count ".toml") }
' "$1/docs/mechanisms.md"
cd "$work"
count=0
for file in *.toml; do
  "$kalaba" describe "$file" >described || { echo "$file is refused"; exit 1; }
  grep -q 'mobility [0-9]' described || { echo "$file has no mobility"; cat described; exit 1; }
  backend=reference
  if grep -q 'limits = ' "$file"; then backend=cpu; fi  # contacts
  "$kalaba" run "$file" --backend $backend -s solver.compile=never -s time.end=0.1 -o "$file.csv" >said || { cat "$file" said; exit 1; }
  count=$((count + 1))
done
[[ $count -ge 5 ]] || { echo "expected at least five mechanisms, found $count"; exit 1; }

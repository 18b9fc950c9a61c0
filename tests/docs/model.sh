#!/usr/bin/env bash
# The README's model, saved and run like by a reader: ./model.sh SOURCE_DIR KALABA
set -euo pipefail
kalaba=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n '/<!-- example: bead.toml -->/,/<!-- end of example -->/p' "$1/README.md" | sed '/^<!--/d; /^```/d' >"$work/bead.toml"
[[ -s $work/bead.toml ]] || { echo "README.md has no example bead.toml"; exit 1; }
cd "$work"
"$kalaba" describe bead.toml
"$kalaba" run bead.toml --backend reference -s time.end=1.0 -s ensemble.members=3 -s 'parameters.c={uniform=[0.3,0.7]}' -o beads.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } END { exit !(at["x"] && at["y"] && NR > 3) }' beads.csv

#!/usr/bin/env bash
# Writes docs/systems.md from what the program says of its systems: ./write_systems.sh KALABA >systems.md
set -euo pipefail
kalaba=$1

cat <<'END'
# The systems

Written by `docs/write_systems.sh` from `kalaba list` and `kalaba describe`: do not edit. [mechanics.md](mechanics.md) has the
equation that all of them are solved by, the bibliography, and where sources misprint. `kalaba check` compares each with its
figures, closed form and invariants.

| system | what it is |
|---|---|
END
"$kalaba" list | sed -E 's/\|/\\|/g; s/^ +([a-z0-9_]+) +(.*)$/| [`\1`](#\1) | \2 |/'
while read -r name _; do
  printf '\n## %s\n\n' "$name"
  "$kalaba" describe "$name" | sed -E "1s/^$name: (.)/\\U\\1/" | awk '
    NR == 1 { print $0 "."; next }
    { lines[++count] = $0 }
    END {
      print "\n```text"
      first = 1
      while (first <= count && lines[first] == "") ++first
      for (i = first; i <= count; ++i) print lines[i]
      print "```"
    }'
done < <("$kalaba" list)

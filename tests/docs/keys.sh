#!/usr/bin/env bash
# docs/scenario.md has every key that `kalaba init` writes, and every key that a scenario may have (a wrong one makes the
# program name them). ./keys.sh SOURCE_DIR KALABA
set -euo pipefail
page=$1/docs/scenario.md
kalaba=$2
missing=0

# has KEY: checks that the page explains it, as `KEY` in backquotes.
has() {
  grep -qF -- "\`$1\`" "$page" && return
  printf 'docs/scenario.md does not explain %s\n' "$1"
  missing=1
}

# The keys of a template: of tables that take any name (parameters, initial) only those that every system has.
keys() {
  "$kalaba" init "$1" | awk '
    /^(# )?\[\[?[a-z]+\]\]?/ { line = $0; gsub(/[^a-z]/, "", line); section = line; next }
    /^(# )?[a-z_]+ = / {
      line = $0
      sub(/^# /, "", line)
      sub(/ = .*/, "", line)
      if (section == "parameters" || (section == "initial" && line != "project" && line != "agents")) next
      print (section == "" ? "" : section ".") line
    }' | sort -u
}

count=0
for system in spherical_pendulum chain swarm; do
  while read -r key; do
    count=$((count + 1))
    has "$key"
  done < <(keys "$system")
done
[[ $count -gt 80 ]] || { echo "only $count keys were found in the templates"; missing=1; }
for key in solver.relative_tolerance solver.absolute_tolerance solver.largest_step solver.smallest_step solver.max_steps \
  time.save_at \
  output.group_by correlated.variables correlated.mean correlated.covariance correlated.std correlated.correlation \
  sensitivities.of sensitivities.lyapunov agents.point agents.direction agents.path; do
  has "$key"
done

# Values: every choice and every field that the templates offer.
while read -r field; do has "$field"; done < <("$kalaba" init spherical_pendulum | sed -n 's/^# fields: any of //p' | tr -d ',' | tr ' ' '\n')
exit $missing

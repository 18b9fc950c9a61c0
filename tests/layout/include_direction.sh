#!/usr/bin/env bash
# Includes point one way: ./include_direction.sh SOURCE_DIR
set -euo pipefail
cd -- "$1"
broken=0

# only PLACE ALLOWED: every "…" include in PLACE matches the extended regular expression ALLOWED.
only() {
  local found
  found=$(grep -rnoE '^#include "[^"]+"' $1 | sed -E 's/:#include "/: /; s/"$//' | grep -vE ": ($2)$" || true)
  if [[ -n $found ]]; then
    printf 'these includes point the wrong way (%s may include %s):\n%s\n' "$1" "$2" "$found"
    broken=1
  fi
}

only include/kalaba/core 'kalaba/core/[a-z0-9_]+\.hpp'
only include/kalaba/systems 'kalaba/core/model\.hpp|kalaba/systems/[a-z0-9_]+\.hpp'
only kernels 'kalaba/core/.*|kalaba/swarm/pair_sum\.hpp|kernels/[a-z_]+\.(hpp|cuh)'
only include 'kalaba/.*|kernels/member_kernels\.cuh'
only src/engine 'kalaba/.*|backend/.*|engine/.*'
only src/backend 'kalaba/.*|backend/.*|swarm/.*|kernels/[a-z_]+\.hpp'
only src/swarm 'kalaba/.*|swarm/.*'
only src/scenario 'kalaba/.*|scenario/.*|output/netcdf_file\.hpp'
only src/output 'kalaba/.*|output/.*|scenario/nearest\.hpp'
only src/check 'kalaba/.*|check/.*'
only src/bench 'kalaba/.*|backend/.*|bench/.*'
only src/report 'kalaba/.*|report/.*|output/.*|scenario/nearest\.hpp'

# reached FILE...: these files and all that they include, at any depth.
reached() {
  local queue=("$@") file include
  declare -A seen=()
  while [[ ${#queue[@]} -gt 0 ]]; do
    file=${queue[0]}
    queue=("${queue[@]:1}")
    [[ -n ${seen[$file]-} ]] && continue
    seen[$file]=yes
    while read -r include; do
      for include in "include/$include" "src/$include"; do
        if [[ -f $include ]]; then queue+=("$include"); fi
      done
    done < <(sed -nE 's/^#include "([^"]+)"$/\1/p' "$file")
  done
  printf '%s\n' "${!seen[@]}"
}

# The reference shares the models with the core, and no algorithm.
found=$(reached include/kalaba/backend/reference.hpp src/backend/reference_* | grep '^include/kalaba/core/' |
  grep -vE '/(event|field|model|matrix|method|status|real|portable)\.hpp$' || true)
if [[ -n $found ]]; then
  printf 'the reference backend reaches algorithms of the core:\n%s\n' "$found"
  broken=1
fi

# The core and the models use no standard library; one header knows the compiler.
for place in include/kalaba/core include/kalaba/systems 'include/kalaba/swarm/*_law.hpp include/kalaba/swarm/pair_sum.hpp'; do
  found=$(grep -rnE '^#include <|std::|threadIdx' $place | grep -v 'core/portable.hpp' || true)
  if [[ -n $found ]]; then
    printf 'the standard library or the device in %s:\n%s\n' "$place" "$found"
    broken=1
  fi
done
found=$(grep -rnE '^ *# *(if|ifdef|ifndef|elif)' include kernels | grep -v 'core/portable.hpp' || true)
if [[ -n $found ]]; then
  printf 'a compiler is asked for outside core/portable.hpp:\n%s\n' "$found"
  broken=1
fi
exit $broken

#!/usr/bin/env bash
# Includes point one way: ./include_direction.sh SOURCE_DIR
set -euo pipefail
cd -- "$1"
broken=0

# only PLACE PERMIT...: every "…" include in PLACE matches one of the extended regular expressions, and each of them is
# used: an unused permit would allow unintended includes.
only() {
  local place=$1 all found permit
  shift
  all=$(grep -rnoE '^#include "[^"]+"' $place | sed -E 's/:#include "/: /; s/"$//' || true)
  found=$(grep -vE ": ($(IFS='|' && echo "$*"))$" <<<"$all" || true)
  if [[ -n $found ]]; then
    printf 'these includes point the wrong way (%s may include %s):\n%s\n' "$place" "$*" "$found"
    broken=1
  fi
  for permit in "$@"; do
    if ! grep -qE ": ($permit)$" <<<"$all"; then
      printf 'nothing in %s includes %s: take that permit away\n' "$place" "$permit"
      broken=1
    fi
  done
}

only include/kalaba/core 'kalaba/core/[a-z]+/[a-z0-9_]+\.hpp'
only include/kalaba/systems 'kalaba/core/model/model\.hpp' 'kalaba/systems/[a-z0-9_]+\.hpp'
only kernels 'kalaba/core/.*' 'kalaba/swarm/pair_sum\.hpp' 'kernels/[a-z_]+\.(hpp|cuh)'
only include 'kalaba/.*'
only src/engine 'kalaba/.*' 'formula/(graph/fault|text/watched|catalogue_system)\.hpp' 'backend/.*' 'engine/.*'
only src/backend 'kalaba/.*' 'backend/.*' 'swarm/.*' 'kernels/[a-z_]+\.hpp'
only src/formula 'kalaba/.*' 'formula/.*' 'backend/reference/(model|projection|reference)\.hpp'
only src/mechanism 'kalaba/.*' 'formula/.*' 'mechanism/.*'
only src/swarm 'kalaba/.*' 'swarm/.*'
only src/scenario 'kalaba/.*' 'formula/.*' 'mechanism/.*' 'scenario/.*' 'text/.*' 'output/netcdf/(finished|netcdf_file)\.hpp' \
  'output/durable/checksum\.hpp'
only src/output 'kalaba/.*' 'output/.*' 'text/.*'
only src/text 'text/.*'
only src/check 'kalaba/.*' 'check/.*' 'text/.*'
only src/compare 'kalaba/.*' 'compare/.*' 'output/.*'
only src/fit 'kalaba/.*' 'fit/.*' 'text/.*' 'scenario/sampling/(csv_column|random|unit_design)\.hpp'
only src/bench 'kalaba/.*' 'backend/.*' 'bench/.*' 'text/.*'
only python/src 'bindings\.hpp' 'kalaba/.*' 'backend/(interruption|reference/(rate|reference)|compiled/host_compiler)\.hpp' 'check/.*' 'cli/.*' \
  'fit/.*' 'formula/graph/functions\.hpp' 'output/.*' 'report/(page/report|data/sobol_indices|text/summary)\.hpp' 'scenario/.*'
only src/report 'kalaba/.*' 'report/.*' 'output/.*' 'text/.*'

# rooms PLACE ROOM...: a room includes itself and those named before it, no other of the place; what stands in the
# place itself may include any, and so may ROOM+.
rooms() {
  local place=$1 folder=${1#*/} below='' room
  shift
  for room in "$@"; do
    below+="${below:+|}${room%+}"
    [[ $room == *+ ]] && continue
    found=$(grep -rnE "^#include \"$folder/" "$place/$room" | grep -vE "\"$folder/($below)/" || true)
    if [[ -n $found ]]; then
      printf '%s/%s may include %s of its folder:\n%s\n' "$place" "$room" "$below" "$found"
      broken=1
    fi
  done
  found=$(find "$place" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | grep -vxE "$below" || true)
  if [[ -n $found ]]; then
    printf 'rooms of %s without a place in the order: %s\n' "$place" "$found"
    broken=1
  fi
}
rooms include/kalaba/core base model inverse rate sensitivities events methods member loop
rooms src/formula graph functions text mechanics code
rooms src/engine system statistics run
rooms src/output durable base netcdf csv export
rooms src/scenario document sampling model+
rooms src/report text data figure page paper

# A run builds its backend once (on a GPU: compiles its kernels once), in the engine, and not a second time in the command line.
found=$(grep -rln 'choose_backend' src --include='*.cpp' | grep -vE '^src/(backend/choose|cli/dry_run|engine/run/engine|bench/phased_run)\.cpp$' || true)
if [[ -n $found ]]; then
  printf 'these choose a backend beside the engine:\n%s\n' "$found"
  broken=1
fi

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

# The public headers need no other library; a swarm law of one's own is compiled with SIMD packs.
for header in include/kalaba/*.hpp; do
  [[ $header == */make_swarm_law.hpp ]] && continue
  found=$(reached "$header" | xargs grep -nE '^#include <(Eigen|boost|xsimd)/' || true)
  if [[ -n $found ]]; then
    printf '%s brings other libraries:\n%s\n' "$header" "$found"
    broken=1
  fi
done

# The reference shares the models with the core, and no algorithm.
shared=(description event field impact_law model matrix operation operation_size operation_value part pattern method status real portable)
all=$(reached src/backend/reference/reference.hpp src/backend/reference/* | sed -nE 's|^include/kalaba/core/[a-z]+/||p')
found=$(grep -vxE "($(IFS='|' && echo "${shared[*]}"))\.hpp" <<<"$all" || true)
if [[ -n $found ]]; then
  printf 'the reference backend reaches algorithms of the core:\n%s\n' "$found"
  broken=1
fi
for header in "${shared[@]}"; do
  if ! grep -qx "$header.hpp" <<<"$all"; then
    printf 'the reference backend does not need core/%s.hpp: take that permit away\n' "$header"
    broken=1
  fi
done

# The core and the models use no standard library; one header has the compiler differences.
for place in include/kalaba/core include/kalaba/systems 'include/kalaba/swarm/*_law.hpp include/kalaba/swarm/pair_sum.hpp'; do
  found=$(grep -rnE '^#include <|std::|threadIdx' $place | grep -v 'core/base/portable.hpp' || true)
  if [[ -n $found ]]; then
    printf 'the standard library or the device in %s:\n%s\n' "$place" "$found"
    broken=1
  fi
done
found=$(grep -rnE '^ *# *(if|ifdef|ifndef|elif)' include kernels | grep -v 'core/base/portable.hpp' || true)
if [[ -n $found ]]; then
  printf 'the compiler is tested outside core/base/portable.hpp:\n%s\n' "$found"
  broken=1
fi
exit $broken

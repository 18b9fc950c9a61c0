#!/usr/bin/env bash
# CONTRIBUTING lists all places that an addition touches: ./places.sh SOURCE_DIR. An existing object of each kind is named in
# the code in the places that CONTRIBUTING names for a new one, and nowhere else.
set -euo pipefail
cd -- "$1"
broken=0

complain() {
  printf '%s\n' "$*"
  broken=1
}

# section TITLE: of CONTRIBUTING.
section() { awk -v title="## $1" '/^## / { inside = $0 == title } inside' CONTRIBUTING.md; }

# places TITLE REGEX OWN FILE...: the code (without comments and sentences) matches in these files and in no other. OWN is the
# new file of an addition, or -; the section of CONTRIBUTING names each of the others. +FILE matches too, but needs no change
# for a new object.
places() {
  local title=$1 regex="\\b($2)\\b" own=$3 found file
  shift 2
  [[ $own != - ]] || shift
  [[ -n $(section "$title") ]] || complain "CONTRIBUTING.md has no section \"$title\""
  found=$(grep -rnE "$regex" include src kernels python/src --include='*.hpp' --include='*.cpp' \
    --include='*.cuh' --include='*.cu' --include='CMakeLists.txt' |
    perl -pe 's|//.*||; s/"((?:[^"\\]|\\.)*)"/index($1, " ") < 0 ? "\"$1\"" : "\"\""/ge' | grep -E "$regex" | cut -d: -f1 | sort -u || true)
  for file in $found; do
    [[ " $* " == *[\ +]"$file "* ]] || complain "\"$title\" does not name $file, which contains $regex"
  done
  for file in "$@"; do
    grep -qx -- "${file#+}" <<<"$found" || complain "${file#+} does not contain $regex: \"$title\" names too many files"
    [[ $file == +* || $file == "$own" ]] || section "$title" | grep -qF -- "${file##*/}" || complain "\"$title\" does not name $file"
  done
}

places "Add a system" 'rolling_disk|RollingDisk' include/kalaba/systems/rolling_disk.hpp src/CMakeLists.txt \
  src/report/data/mechanisms.cpp
places "Add a pair law" PaperLaw include/kalaba/swarm/paper_law.hpp src/swarm/swarm_system.cpp +src/swarm/placement.cpp
places "Add a pseudo-inverse" SparseLdlt include/kalaba/core/inverse/sparse_ldlt.hpp include/kalaba/core/inverse/inverse_of_rows.hpp \
  include/kalaba/core/inverse/pseudo_inverses.hpp \
  include/kalaba/core/model/method.hpp
places "Add an integrator" 'dopri5|Dopri5' - include/kalaba/core/model/method.hpp include/kalaba/core/loop/integrators.hpp \
  src/backend/reference/tableau.cpp src/CMakeLists.txt
places "Add a number to the outcome of a run" svd_stages - include/kalaba/block.hpp include/kalaba/core/base/part.hpp \
  include/kalaba/core/member/member_state.hpp include/kalaba/run.hpp src/engine/run/summary.cpp src/output/base/outcome_figures.hpp \
  +include/kalaba/core/member/member_workspace.hpp +src/report/text/summary.cpp
places "Add a field" balance_rate - include/kalaba/core/model/field.hpp include/kalaba/core/member/member_state.hpp \
  include/kalaba/core/member/observed_member.hpp src/engine/system/fields.cpp src/backend/reference/observation.cpp \
  src/backend/interpreted/observed_components.hpp \
  +src/check/default_run.cpp
# The numbers of the core have the functions of the C library, asin among them.
places "Add a function to expressions" asin src/formula/functions/asin.cpp include/kalaba/core/base/operation.hpp include/kalaba/core/base/operation_size.hpp \
  +include/kalaba/core/base/portable.hpp +include/kalaba/core/base/differentiation.hpp +include/kalaba/backend/pack.hpp \
  +include/kalaba/backend/packs.hpp +include/kalaba/backend/trigonometry.hpp +include/kalaba/backend/member_functions.hpp +src/backend/compiled/registers.hpp \
  +src/backend/compiled/counted.hpp +src/backend/pack_mathematics.cpp
places "Add an output format" csv_format src/output/csv/csv_sink.cpp src/output/base/format.hpp src/output/base/format.cpp \
  +src/output/outputs.cpp

exit $broken

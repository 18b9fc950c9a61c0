#!/usr/bin/env bash
# The object file of the statistics holds machine code for every named architecture, and PTX for newer ones:
# statistics_architectures.sh OBJECT ARCHITECTURES (separated by commas)
set -euo pipefail
[[ $2 != native ]] || { echo "SKIPPED: built for the GPU of this machine alone"; exit 0; }
known=$(nvcc --list-gpu-code 2>/dev/null || true)
for each in ${2//,/ }; do
  [[ -z $known || $known == *"sm_$each"* ]] || continue
  grep -q "sm_$each" "$1" || { echo "no machine code for sm_$each in $1"; exit 1; }
  last=$each
done
grep -q "compute_$last" "$1" || { echo "no PTX of compute_$last in $1"; exit 1; }

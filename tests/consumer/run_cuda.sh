#!/usr/bin/env bash
# Installs the build, then compiles the docs' model for CUDA against it: ./run_cuda.sh SOURCE_DIR BUILD_DIR COMPILER NVCC
set -euo pipefail
source_dir=$1
build_dir=$2
compiler=$3
nvcc=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$source_dir"/tests/consumer/cuda/* "$work"
# example NAME: that part of the README, or of the page that has it.
example() {
  cat "$source_dir/README.md" "$source_dir"/docs/*.md | sed -n "/<!-- example: $1 -->/,/<!-- end of example -->/p" |
    sed '/^<!--/d; /^```/d'
}

# The model of the first example, as the header that the second one includes.
{
  printf '#pragma once\n#include <kalaba/core/model.hpp>\n'
  example main.cpp | sed -n '/^struct Bead {/,/^};/p'
} >"$work/bead.hpp"
example bead.cu >"$work/bead.cu"
[[ -s $work/bead.cu ]] || { echo "README.md and docs/ have no example bead.cu"; exit 1; }

cmake --install "$build_dir" --prefix "$work/installed" >/dev/null
# (What is compiled for the host calls what the library inlines: run.sh compiles that as users do.)
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_HOST_COMPILER="$compiler" -DCMAKE_CUDA_ARCHITECTURES=90 \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=-DKALABA_CALLS >/dev/null
cmake --build "$work/build"
"$work/build/bead" | tee "$work/said"
grep -Eq '^0 beads failed, on c(uda|pu): ' "$work/said"

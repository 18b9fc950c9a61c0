#!/usr/bin/env bash
# Installs the build, then compiles and runs the README's C++ example against it: ./run.sh SOURCE_DIR BUILD_DIR COMPILER
set -euo pipefail
source_dir=$1
build_dir=$2
compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cp "$source_dir/tests/consumer/CMakeLists.txt" "$work"
sed -n '/<!-- example: main.cpp -->/,/<!-- end of example -->/p' "$source_dir/README.md" | sed '/^<!--/d; /^```/d' >"$work/main.cpp"
[[ -s $work/main.cpp ]] || { echo "README.md has no example"; exit 1; }

cmake --install "$build_dir" --prefix "$work/installed" >/dev/null
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build"
"$work/build/bead" | tee "$work/said"
# The first bead's wire is flatter than the last one's; both hang below their start of x = 1.
grep -Eq '^x of the first and last bead at t = 2 s: -?0\.[0-9]{6} -?0\.[0-9]{6}$' "$work/said"

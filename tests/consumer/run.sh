#!/usr/bin/env bash
# Installs the build, then compiles and runs programs against it: the C++ example of the docs with its CMake lines,
# one that runs the catalogue alone, and the example for any CPU. ./run.sh SOURCE_DIR BUILD_DIR COMPILER
set -euo pipefail
source_dir=$1
build_dir=$2
compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
  printf '%s\n' "$*"
  exit 1
}

# example NAME: that part of the README, or of the page that has it.
example() {
  cat "$source_dir/README.md" "$source_dir"/docs/*.md | sed -n "/<!-- example: $1 -->/,/<!-- end of example -->/p" |
    sed '/^<!--/d; /^```/d'
}

# configure FOLDER ARGS...: without a build type, as who copies the README does.
configure() {
  local folder=$1
  shift
  cmake -S "$folder" -B "$folder/build" -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
}

# seconds COMMAND...: of processor time, which other work on the machine does not change.
seconds() {
  local TIMEFORMAT='%U'
  { time "$@" >"$work/log" 2>&1; } 2>&1 || { cat "$work/log" >&2 && false; }
}

cmake --install "$build_dir" --prefix "$work/installed" >/dev/null

mkdir "$work/readme"
example CMakeLists.txt >"$work/readme/CMakeLists.txt"
example main.cpp >"$work/readme/main.cpp"
for file in CMakeLists.txt main.cpp; do
  [[ -s $work/readme/$file ]] || die "README.md and docs/ have no example $file"
done
configure "$work/readme" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' >/dev/null
grep -q -- '-O3' "$work/readme/build/compile_commands.json" || die "the docs' CMake lines do not optimise"
grep -q -- '-march=' "$work/readme/build/compile_commands.json" || die "the docs' CMake lines build for any CPU"
cmake --build "$work/readme/build"
"$work/readme/build/bead" | tee "$work/said"
# The first bead's wire is flatter than the last one's; both hang below their start of x = 1.
grep -Eq '^x of the first and last bead at t = 2 s: -?0\.[0-9]{6} -?0\.[0-9]{6}$' "$work/said"

# The catalogue alone: no other library, no flags of ours, little to read.
mkdir "$work/alone"
cp "$source_dir"/tests/consumer/{CMakeLists.txt,catalogue.cpp} "$work/alone"
configure "$work/alone" -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON >/dev/null
grep -q -- '-march' "$work/alone/build/compile_commands.json" && die "kalaba::kalaba imposes a CPU"
spent=$(seconds cmake --build "$work/alone/build" --target catalogue.cpp.o)
printf 'a program with the catalogue alone compiles in %s s of CPU time\n' "$spent"
awk "BEGIN { exit !($spent <= 3) }" || die "expected at most 3 s"
cmake --build "$work/alone/build" >/dev/null
"$work/alone/build/catalogue" | tee "$work/said"
grep -q '^0 of 10 members failed$' "$work/said"

# A model of one's own where something that it needs is not here: said by name.
if cmake -S "$work/readme" -B "$work/without" -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_CXX_COMPILER="$compiler" \
  -DKALABA_XSIMD= -DCMAKE_FIND_USE_CACHE=ON -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON >"$work/log" 2>&1; then
  die "models were found without Eigen"
fi
grep -q 'models of your own need what is not here: Eigen 3' "$work/log" || die "$(cat "$work/log")"

# A model compiled for any CPU, and calling what the library inlines, goes with a library for this one.
mkdir "$work/any"
cp "$source_dir"/tests/consumer/{CMakeLists.txt,catalogue.cpp} "$work/readme/main.cpp" "$work/any"
configure "$work/any" -DMODELS=ON -DCMAKE_CXX_FLAGS=-DKALABA_CALLS >/dev/null
cmake --build "$work/any/build" --target any_cpu
"$work/any/build/any_cpu" >"$work/said_by_any"
grep -Eq '^x of the first and last bead at t = 2 s: -?0\.[0-9]{6} -?0\.[0-9]{6}$' "$work/said_by_any"

#!/usr/bin/env bash
# Installs the build, then compiles and runs programs against it: the C++ example of the docs with its CMake lines, the
# same model linked with its compiled source, and one that runs the catalogue alone. ./run.sh SOURCE_DIR BUILD_DIR COMPILER
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

# configure FOLDER ARGS...: without a build type, like a user who copies the README.
configure() {
  local folder=$1
  shift
  cmake -S "$folder" -B "$folder/build" -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
}

# seconds COMMAND...: CPU time, which does not depend on other work of the machine.
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
configure "$work/readme" -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON >/dev/null
spent=$(seconds cmake --build "$work/readme/build")
printf 'a program with a model of its own compiles and links in %s s of CPU time\n' "$spent"
awk "BEGIN { exit !($spent <= 3) }" || die "expected at most 3 s"
"$work/readme/build/bead" | tee "$work/said"
# The first bead's wire is flatter than the last one's; both hang below their start of x = 1.
grep -Eq '^x of the first and last bead at t = 2 s: -?0\.[0-9]{6} -?0\.[0-9]{6}$' "$work/said"

# The model compiled into a program that runs without a compiler, from the source that another run of it wrote.
mkdir "$work/linked"
cp "$source_dir"/tests/consumer/linked.cmake "$work/linked/CMakeLists.txt"
cp "$source_dir"/tests/consumer/linked.cpp "$work/linked/main.cpp"
sed '/^int main/,$d; /^#include <cstdio>$/d' "$work/readme/main.cpp" >"$work/linked/bead.hpp"
: >"$work/linked/bead_compiled.cpp"
configure "$work/linked" >/dev/null
cmake --build "$work/linked/build" >/dev/null
without_compiler() { KALABA_CXX=/nonexistent/compiler KALABA_CACHE_DIR="$work/empty" "$work/linked/build/linked" "$@"; }
without_compiler >"$work/said"
grep -q 'interpreted on packs' "$work/said" || die "expected an interpreted run, found: $(cat "$work/said")"
without_compiler write >"$work/linked/bead_compiled.cpp"
cmake --build "$work/linked/build" >/dev/null
without_compiler >"$work/said_linked"
grep -q '^bead: compiled with the program$' "$work/said_linked" || die "expected linked code, found: $(cat "$work/said_linked")"
paste <(tail -n 1 "$work/said") <(tail -n 1 "$work/said_linked") | awk '{ d = $1 - $2; exit !(d * d < 1e-24) }' ||
  die "linked code moves differently from interpreted formulas"

# The catalogue only: no other library, no compiler flags of the build, few headers.
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

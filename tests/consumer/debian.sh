#!/usr/bin/env bash
# Makes the Debian packages of a build and uses them from a folder in place of /. ./debian.sh BUILD_DIR VERSION COMPILER
set -euo pipefail
build_dir=$1
version=$2
compiler=$3
for tool in cpack dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: there is no $tool here" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd -- "$work"

die() {
  printf '%s\n' "$*"
  exit 1
}

cpack -G DEB --config "$build_dir/CPackConfig.cmake" -B "$work/packages" >cpack.log 2>&1 || die "$(cat cpack.log)"
architecture=$(dpkg --print-architecture)
for name in kalaba libkalaba-dev; do
  package="packages/${name}_${version}_$architecture.deb"
  [[ -s $package ]] || die "there is no $package: $(ls packages)"
  dpkg-deb -x "$package" root
  [[ -s root/usr/share/doc/$name/copyright ]] || die "$name does not say its license"
done
dpkg-deb -f "packages/kalaba_${version}_$architecture.deb" Depends | tee depends
for library in libc6 libstdc++6 libnetcdf; do grep -q "$library" depends || die "kalaba does not depend on $library"; done
! grep -q . <(find root -type f -perm /022) || die "files that others may write to"

# The command.
printf '[model]\nname = "drop"\nmass = ["m"]\n[model.parameters]\nm = "1 kg"\n[model.coordinates]\nz = "m"\n[model.force]\nz = "-9.81[m/s^2]*m"\n[model.holonomic]\n[model.time]\nend = 1.0\n' >drop.toml
root/usr/bin/kalaba run drop.toml -o drop.csv --quiet
tail -n 1 drop.csv | grep -qE ',-4\.90(5|49)' || die "it fell wrongly: $(tail -n 1 drop.csv)"

# The library.
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(lists LANGUAGES CXX)
find_package(kalaba REQUIRED)
add_executable(lists lists.cpp)
target_link_libraries(lists PRIVATE kalaba::kalaba)
CMAKE
cat >lists.cpp <<'CPP'
#include <kalaba/kalaba.hpp>

#include <cstdio>

int main() { std::printf("%zu systems\n", kalaba::catalogue().size()); }
CPP
cmake -B build -S . -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/root/usr" >build.log 2>&1 &&
  cmake --build build >>build.log 2>&1 || die "$(cat build.log)"
./build/lists

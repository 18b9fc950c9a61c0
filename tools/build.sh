# Functions of ./dev: messages, Debian packages, phases with a log, configuring and building.

build_packages=(g++ cmake ninja-build pkg-config git libeigen3-dev libxsimd-dev libboost-dev libcli11-dev libfmt-dev
  libtomlplusplus-dev libnetcdf-dev libhdf5-dev zlib1g-dev librandom123-dev gnuplot-nox fonts-dejavu-core libgtest-dev)

# Without these settings ccache does not cache files that use precompiled headers.
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "dev: $*"
  exit 1
}

# ---- packages -------------------------------------------------------------------------------------------------------

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# need PACKAGE...: installs the packages that are missing.
need() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    foreign_packages=("$@")
    return
  fi
  local missing=() package
  for package in "$@"; do is_installed "$package" || missing+=("$package"); done
  [[ ${#missing[@]} -eq 0 ]] && return

  local as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || fail "these packages are missing: ${missing[*]}
As root: apt-get update && apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  phase "installing ${missing[*]}" packages install_packages "${missing[@]}"
}
foreign_packages=()

# wish PACKAGE...: installs the missing packages that the system's archive offers.
wish() {
  command -v apt-cache >/dev/null || return 0
  local known=() package
  for package in "$@"; do
    if is_installed "$package" || apt-cache show "$package" >/dev/null 2>&1; then known+=("$package"); fi
  done
  [[ ${#known[@]} -eq 0 ]] || need "${known[@]}" || say "some tests will be skipped"
}

# newest NAME: the package NAME-VERSION with the highest version in the system's archive, e.g. clang-19.
newest() {
  command -v apt-cache >/dev/null || return 0
  apt-cache search --names-only "^${1//+/\\+}-[0-9]+\$" | cut -d ' ' -f 1 | sort -V | tail -n 1
}

install_packages() {
  "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# unpack PACKAGE FOLDER: unpacks a Debian package without installing it or its dependencies.
unpack() {
  local package=$1 folder=$2
  rm -rf "$folder.new"
  mkdir -p "$folder.new"
  (cd -- "$folder.new" && apt-get download "$package" && dpkg -x "$package"_*.deb . && rm -f -- *.deb) &&
    mv -- "$folder.new" "$folder"
}

# ---- phases ---------------------------------------------------------------------------------------------------------

# phase TITLE LOG COMMAND...: runs the command with its output in build/LOG.log; prints the log if the command fails.
phase() {
  local title=$1 log="$root/build/$2.log" started=$SECONDS
  shift 2
  mkdir -p "$root/build"
  if ! "$@" >"$log" 2>&1; then
    say "$title: failed"
    tail -n 300 "$log" >&2
    if [[ ${#foreign_packages[@]} -gt 0 ]]; then
      say "This is not a Debian system; Kalaba needs the packages that Debian calls: ${foreign_packages[*]}"
    fi
    return 1
  fi
  local took=$((SECONDS - started))
  if [[ $took -ge 2 ]]; then say "$title: $took s"; fi
}

# configure PRESET [CMAKE_ARG...]: unless build/PRESET is configured and newer than the presets.
configure() {
  local preset=$1 launcher=()
  local made="$root/build/$preset/build.ninja"
  [[ -f $made && ! "$root/CMakePresets.json" -nt $made ]] && return
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  phase "configuring $preset" "configure-$preset" cmake -S "$root" --preset "$preset" "${launcher[@]}" "${@:2}"
}

# build PRESET [CMAKE_BUILD_ARG...]
build() {
  local preset=$1
  shift
  configure "$preset" || return
  (cd -- "$root" && phase "building $preset" "build-$preset" cmake --build --preset "$preset" -j "$(nproc)" "$@")
}

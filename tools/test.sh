# Jobs of ./dev: test.

test_packages=(clang doxygen valgrind netcdf-bin)
# Some tests are skipped without these.
wished_packages=(python3-xarray python3-h5netcdf openmpi-bin)
browsers=(chromium chromium-browser google-chrome chromium-headless-shell)
# Presets whose tests tests/CMakeLists.txt selects by label.
sanitizers=(tsan asan)

# Compiles the models of tests with -O1, in a third of the time and to the same bits. tests/compiled/same_bits_test.cpp
# compiles with the default flags and compares.
quick_models() { export KALABA_CXXFLAGS='-O1 -DKALABA_CALLS'; }

# for_tests COMMAND...: runs it with a folder in place of the user's cache, where no test may compile a model.
for_tests() { XDG_CACHE_HOME=$root/build/users_cache "$@"; }

# Fails if a test left a model in the user's cache.
spared_users_cache() {
  local models="$root/build/users_cache/kalaba"
  [[ ! -e $models ]] || { say "tests left models in the user's cache: $models" && return 1; }
}

# count FILE REGEX: the number of matching lines.
count() { grep -cE -- "$2" "$1" || true; }

# test_preset PRESET [CTEST_ARG...]: builds, runs the tests and adds to the counts. A failed build counts as one failure.
test_preset() {
  local preset=$1 results="$root/build/$1/results.xml"
  shift
  rm -f "$results"
  if ! build "$preset"; then
    failed=$((failed + 1))
    return
  fi
  local ok=true
  (cd -- "$root" && phase "testing $preset" "test-$preset" \
    for_tests ctest --preset "$preset" -j "$(nproc)" --output-junit "$results" "$@") || ok=false
  if [[ ! -f $results ]]; then
    failed=$((failed + 1))
    return
  fi
  # A test whose executable is missing is not run; it is counted as failed, not as skipped.
  local all good left_out
  all=$(count "$results" '<testcase ')
  good=$(count "$results" '<testcase .* status="run">')
  left_out=$(count "$results" '<skipped message="SKIP_|<testcase .* status="disabled">')
  passed=$((passed + good))
  skipped=$((skipped + left_out))
  failed=$((failed + all - good - left_out))
  if ! $ok && [[ $failed -eq 0 ]]; then failed=1; fi
}

# Checks the sources for warnings with the newest clang of the system's archive, and with its newest g++ if that is newer
# than the g++ of the build.
check_with_newest() {
  local clang gcc
  clang=$(newest clang) gcc=$(newest g++)
  wish ${clang:+"$clang"}
  if ! command -v "clang++-${clang#clang-}" >/dev/null; then clang=''; fi
  configure clang ${clang:+-DCMAKE_CXX_COMPILER="clang++-${clang#clang-}"} && build clang || return
  [[ -n $gcc && ${gcc#g++-} -gt $(g++ -dumpversion | cut -d . -f 1) ]] || return 0
  need "$gcc" && configure gcc -DCMAKE_CXX_COMPILER="$gcc" && build gcc
}

job_test() {
  need "${build_packages[@]}" "${test_packages[@]}" "${python_packages[@]}"
  command -v "${browsers[@]}" >/dev/null || wished_packages+=(chromium-headless-shell)
  wish "${wished_packages[@]}"
  passed=0 failed=0 skipped=0
  quick_models
  rm -rf "$root/build/users_cache/kalaba"
  # Fetches Python packages while compilers work. A failure here is repeated, and reported, in test_python.
  [[ $# -gt 0 ]] || python_environment >/dev/null 2>&1 &
  local packages=$!
  test_preset release "$@"
  if [[ $# -eq 0 ]]; then
    local preset
    for preset in "${sanitizers[@]}"; do test_preset "$preset"; done
    wait "$packages" || true
    # The Python tests leave processors idle.
    check_with_newest &
    local compilers=$!
    test_python "${release_wheel[@]}" --
    KALABA_CACHE_DIR=$root/build/release/compiled_models for_tests test_docs
    wait "$compilers" || failed=$((failed + 1))
  fi
  spared_users_cache || failed=$((failed + 1))
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed -eq 0 && $passed -gt 0 ]]
}

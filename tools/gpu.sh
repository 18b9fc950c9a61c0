# Jobs of ./dev: gpu, gpu-pack.

# Programs that `./dev gpu` runs.
gpu_programs=(kalaba tests/cuda/device_test tests/cuda/cuda_backend_test tests/cuda/cusolver_test
  tests/cuda/reduction_device_test tests/cuda/statistics_run_test tests/cuda/pseudo_inverse_device_test
  tests/cuda/events_run_test tests/cuda/model_figures_device_test tests/cuda/swarm_device_test tests/conformance_test)

build_gpu_programs() {
  local targets=("${gpu_programs[@]##*/}")
  build "$1" --target "${targets[@]/%kalaba/kalaba_cli}"
}

job_gpu_pack() {
  need "${build_packages[@]}"
  build_gpu_programs gpu
  pack "$root/build/gpu-build"
}

# pack BUILD_FOLDER: writes build/gpu.tar.xz of the programs and their libraries, without the C library and the driver.
pack() {
  local build=$1 folder="$root/build/gpu" program
  local theirs='libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl|libcuda|libnvidia[^/]*'
  rm -rf "$folder"
  mkdir -p "$folder/bin" "$folder/lib"
  for program in "${gpu_programs[@]}"; do
    strip -o "$folder/bin/$(basename "$program")" "$build/$program"
    ldd "$build/$program" | awk '$3 ~ /^\// { print $3 }' | grep -vE "/($theirs)\.so" >>"$folder/needed"
  done
  sort -u "$folder/needed" | xargs cp -L -t "$folder/lib/"
  rm "$folder/needed"
  empty_icu_data "$folder/lib"
  git -C "$root" rev-parse HEAD >"$folder/commit"
  env -i LD_LIBRARY_PATH="$folder/lib" "$folder/bin/kalaba" list >/dev/null || fail "what was packed does not start"
  # The programs share most of their bytes; a large dictionary finds them.
  tar -C "$root/build" -I 'xz -3 --lzma2=preset=3,dict=64MiB' -cf "$folder.tar.xz" gpu
  say "build/gpu: $(du -sm "$folder" | cut -f 1) MiB; build/gpu.tar.xz: $(du -m "$folder.tar.xz" | cut -f 1) MiB"
}

# empty_icu_data FOLDER: replaces ICU's data (30 MB, used by libxml2 for rare encodings) by an empty library.
empty_icu_data() {
  local library name
  for library in "$1"/libicudata.so.*; do
    [[ -f $library ]] || continue
    name=$(nm -D --defined-only "$library" | awk '$3 ~ /_dat$/ { print $3 }')
    echo "const char $name[256] = {0};" |
      cc -shared -fPIC -Wl,-soname,"$(basename "$library")" -x c -o "$library" -
  done
}

# left_out LOG: prints the tests that a passed step skipped.
left_out() {
  local skipped
  skipped=$(grep -cE '^\[  SKIPPED \] .*\(' "$1" || true)
  if [[ $skipped -gt 0 ]]; then echo ", $skipped skipped, see $1"; fi
  sed -n 's/^not done: /, but not done: /p' "$1"
}

# gpu_step NAME COMMAND...: runs a selected step with its log in the results folder; prints one line and counts failures.
gpu_step() {
  local name=$1 started=$SECONDS
  shift
  [[ ${#gpu_steps[@]} -eq 0 || " ${gpu_steps[*]} " == *" $name "* ]] || return 0
  if "$@" >"$results/$name.log" 2>&1; then
    echo "$name: passed, $((SECONDS - started)) s$(left_out "$results/$name.log")"
  else
    echo "$name: FAILED (exit code $?), see $results/$name.log"
    tail -n 40 "$results/$name.log"
    gpu_failed=$((gpu_failed + 1))
  fi
}

all_gpu_steps=(device_test cuda_backend_test cusolver_test reduction_test statistics_run_test pseudo_inverse_test
  events_test models_test swarm_test memcheck racecheck bench check conformance)

# side_by_side TEST ARGS...: runs a program's tests in one process per core. Most of their time is kernel compilation, and
# a process compiles one kernel at a time.
side_by_side() {
  local processes=() all_good=true i
  for ((i = 0; i < $(nproc); i++)); do
    GTEST_TOTAL_SHARDS=$(nproc) GTEST_SHARD_INDEX=$i "$@" >"$results/process.$i" 2>&1 &
    processes+=($!)
  done
  for i in "${!processes[@]}"; do
    wait "${processes[i]}" || all_good=false
    cat "$results/process.$i"
    rm "$results/process.$i"
  done
  $all_good
}

# Runs all checks in one process, after parallel processes have compiled the kernels. Failures of those are repeated here.
check_on_gpu() {
  "$bin/kalaba" list | awk '{ print $1 }' |
    xargs -P "$(nproc)" -n 1 "$bin/kalaba" check --backend cuda >/dev/null 2>&1 || true
  "$bin/kalaba" check --backend cuda --json "$results/check.json"
}

# sanitize_on_gpu TOOL: runs a few kernels under compute-sanitizer. Some virtual machines do not permit it.
sanitize_on_gpu() {
  local log="$results/$1.tool.log"
  compute-sanitizer --tool "$1" --error-exitcode 1 --log-file "$log" "$bin/cuda_backend_test" \
    --gtest_filter='*spherical_pendulum_qr*:*two_particles_incline_svd*' &&
    compute-sanitizer --tool "$1" --error-exitcode 1 --log-file "$log" "$bin/swarm_device_test" \
      --gtest_filter='*paper_2d*' && return
  cat "$log"
  grep -q 'Device not supported' "$log" && echo "not done: compute-sanitizer cannot use this device"
}

job_gpu() {
  local bin="$root/build/gpu/bin" results step
  results=$(realpath -m -- "${1:-$root/bench/results}")
  gpu_steps=("${@:2}")
  for step in "${gpu_steps[@]}"; do
    [[ " ${all_gpu_steps[*]} " == *" $step "* ]] || {
      say "dev: there is no step '$step'; there are ${all_gpu_steps[*]}"
      exit 2
    }
  done
  mkdir -p "$results"
  if [[ -f $root/build/gpu.tar.xz ]]; then
    if command -v xz >/dev/null; then tar -C "$root/build" -xJf "$root/build/gpu.tar.xz"
    else python3 -m tarfile -e "$root/build/gpu.tar.xz" "$root/build"; fi
  fi
  if [[ -d $bin ]]; then
    export LD_LIBRARY_PATH="$root/build/gpu/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  else
    need "${build_packages[@]}"
    build_gpu_programs release
    local program
    bin="$root/build/gpu-links"
    mkdir -p "$bin"
    for program in "${gpu_programs[@]}"; do ln -sf "$root/build/release/$program" "$bin/"; done
  fi
  "$bin/kalaba" devices | tee "$results/devices.txt"
  grep -q '^cuda [0-9]' "$results/devices.txt" || {
    say "dev: this machine has no GPU that can be used"
    exit 4
  }
  gpu_failed=0
  gpu_step device_test "$bin/device_test"
  gpu_step cuda_backend_test side_by_side "$bin/cuda_backend_test"
  gpu_step cusolver_test "$bin/cusolver_test"
  gpu_step reduction_test "$bin/reduction_device_test"
  gpu_step statistics_run_test "$bin/statistics_run_test"
  gpu_step pseudo_inverse_test "$bin/pseudo_inverse_device_test"
  gpu_step events_test "$bin/events_run_test"
  gpu_step models_test env KALABA_SOURCE_DIR="$root" "$bin/model_figures_device_test"
  gpu_step swarm_test "$bin/swarm_device_test"
  if command -v compute-sanitizer >/dev/null; then
    gpu_step memcheck sanitize_on_gpu memcheck
    gpu_step racecheck sanitize_on_gpu racecheck
  else
    echo "memcheck, racecheck: skipped, there is no compute-sanitizer"
  fi
  gpu_step bench "$bin/kalaba" bench --backend cuda --json "$results/bench.json"
  gpu_step check check_on_gpu
  gpu_step conformance side_by_side "$bin/conformance_test" --gtest_filter='*_cuda*'
  echo "$gpu_failed failed"
  [[ $gpu_failed -eq 0 ]]
}


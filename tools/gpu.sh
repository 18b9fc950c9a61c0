# Jobs of ./dev: gpu, gpu-pack.

# Programs that `./dev gpu` runs.
gpu_programs=(kalaba tests/cuda/device_test tests/cuda/cuda_backend_test tests/cuda/cusolver_test
  tests/cuda/reduction_device_test tests/cuda/statistics_run_test tests/cuda/pseudo_inverse_device_test
  tests/cuda/events_run_test tests/cuda/sensitivities_run_test tests/cuda/model_figures_device_test
  tests/cuda/swarm_device_test tests/conformance_test)

# Steps of `./dev gpu` by group. A step NAME is the function step_NAME. Tests run side by side, because most of their time
# goes to compiling; the other steps run alone, because they measure or use every core. All tests take at most two
# minutes together, each other group about four; step_seconds has the bounds that differ.
gpu_tests=(device_test reduction_test statistics_run_test swarm_test pseudo_inverse_test cuda_backend_test cusolver_test
  events_test models_test sensitivities_test memcheck racecheck)
gpu_measurements=(bench ab profile peers)
gpu_comparisons=(conformance check)
gpu_steps=("${gpu_tests[@]}" "${gpu_measurements[@]}" "${gpu_comparisons[@]}")
declare -A step_seconds=([bench]=90 [ab]=100 [profile]=90 [peers]=150 [conformance]=170 [check]=170)
# Steps that need the program alone: `./dev gpu-pack program` is ready within ten minutes on two cores.
gpu_of_program=(bench check ab)

# Systems that `check` compares in a pack's cubins; on a GPU it compares all.
checked_systems=(spherical_pendulum two_particles_incline constrained_double_pendulum chain rolling_disk swarm_matrix)

step_device_test() { limited "$bin/device_test"; }
step_reduction_test() { limited "$bin/reduction_device_test"; }
step_statistics_run_test() { limited "$bin/statistics_run_test"; }
step_swarm_test() { limited "$bin/swarm_device_test"; }
step_pseudo_inverse_test() { limited "$bin/pseudo_inverse_device_test"; }
step_cuda_backend_test() { side_by_side "$bin/cuda_backend_test"; }
step_cusolver_test() { limited "$bin/cusolver_test"; }
step_events_test() { side_by_side "$bin/events_run_test"; }
step_models_test() { KALABA_SOURCE_DIR=$root side_by_side "$bin/model_figures_device_test"; }
step_sensitivities_test() { side_by_side "$bin/sensitivities_run_test"; }
step_memcheck() { sanitize_on_gpu memcheck; }
step_racecheck() { sanitize_on_gpu racecheck; }
step_bench() { limited "$bin/kalaba" bench --backend cuda --json "$results/bench.json"; }
step_ab() { limited bash "$root/bench/gpu_ab.sh" "$bin/kalaba" "$results"; }
step_peers() { limited python3 "$root/bench/gpu_peers.py" --kalaba "$bin/kalaba" --json "$results/peers.json"; }
step_conformance() { side_by_side "$bin/conformance_test" --gtest_filter='*_cuda*'; }

# step_check: in one process, after several have compiled its kernels. Whatever fails in those fails here again.
step_check() {
  "$bin/kalaba" list | awk '{ print $1 }' |
    limited xargs -P "$(nproc)" -n 1 "$bin/kalaba" check --backend cuda >/dev/null 2>&1 || true
  limited "$bin/kalaba" check --backend cuda --json "$results/check.json"
}

# step_profile: one launch each of three kernels under Nsight Compute.
step_profile() {
  command -v ncu >/dev/null || { echo "not done: there is no ncu" && return; }
  local name system
  for system in spherical_pendulum two_particles_incline 'chain -s structure.links=8'; do
    name=${system//[^a-z0-9_]/}
    # shellcheck disable=SC2086 # words of the system
    limited ncu --clock-control none --set full -k kalaba_advance -s 2 -c 1 -f -o "$results/$name" \
      "$bin/kalaba" bench $system --backend cuda --seconds 0.1 || return
  done
}

# limited COMMAND...: runs it for at most the seconds of the present step.
limited() { timeout -k 10 "$limit" "$@"; }

# side_by_side TEST ARGS...: distributes a program's tests over a process per core, because a process compiles one kernel
# at a time and compiling takes most of the time.
side_by_side() {
  local processes=() all_good=true i log="$results/$step.process"
  for ((i = 0; i < $(nproc); i++)); do
    GTEST_TOTAL_SHARDS=$(nproc) GTEST_SHARD_INDEX=$i limited "$@" >"$log.$i" 2>&1 &
    processes+=($!)
  done
  for i in "${!processes[@]}"; do
    wait "${processes[i]}" || all_good=false
    cat "$log.$i"
    rm "$log.$i"
  done
  $all_good
}

# sanitize_on_gpu TOOL: runs a few kernels under compute-sanitizer, which some virtual machines do not allow.
sanitize_on_gpu() {
  command -v compute-sanitizer >/dev/null || { echo "not done: there is no compute-sanitizer" && return; }
  local log="$results/$1.tool.log"
  limited compute-sanitizer --tool "$1" --error-exitcode 1 --log-file "$log" "$bin/cuda_backend_test" \
    --gtest_filter='*spherical_pendulum_qr*:*two_particles_incline_svd*' &&
    limited compute-sanitizer --tool "$1" --error-exitcode 1 --log-file "$log" "$bin/swarm_device_test" \
      --gtest_filter='*paper_2d*' && return
  cat "$log"
  grep -q 'Device not supported' "$log" && echo "not done: compute-sanitizer cannot use this device"
}

# rerun_alone NAME: runs each failed test of a step in a process of its own, because a kernel fault fails every later test
# of its process. Prints the tests that fail again.
rerun_alone() {
  local log="$results/$1.log" program test
  program=$(declare -f "step_$1" | grep -o '\$bin/[a-z_]*_test' | head -n 1)
  [[ -n $program ]] || return 0
  sed -nE 's/^\[  FAILED  \] ([^ ,]+)(,.*)? \([0-9]+ ms\)$/\1/p' "$log" | sort -u | head -n 20 | while read -r test; do
    if KALABA_SOURCE_DIR=$root timeout -k 10 60 "$bin/${program#\$bin/}" --gtest_filter="$test" >"$results/$1.alone.log" 2>&1; then
      echo "  passes in a process of its own: $test"
    else
      echo "  fails in a process of its own: $test"
      cat "$results/$1.alone.log" >>"$results/$1.again.log"
    fi
  done
  rm -f "$results/$1.alone.log"
}

# not_done LOG: prints what a passed step left out.
not_done() {
  local skipped
  skipped=$(grep -cE '^\[  SKIPPED \] .*\(' "$1" || true)
  if [[ $skipped -gt 0 ]]; then echo ", $skipped skipped, see $(basename "$1")"; fi
  sed -n 's/^not done: /, but not done: /p' "$1"
}

# gpu_step STEP: runs a step with its log in the results folder; appends one line, and the end of the log of a failure, to
# the summary.
gpu_step() {
  local step=$1 started=$SECONDS limit=${KALABA_STEP_SECONDS:-${step_seconds[$1]:-120}} code=0
  "step_$step" >"$results/$step.log" 2>&1 || code=$?
  {
    if [[ $code -eq 0 ]]; then
      echo "$step: passed, $((SECONDS - started)) s$(not_done "$results/$step.log")"
    else
      echo "$step: FAILED (exit code $code$([[ $code -eq 124 ]] && echo ": over $limit s" || true)), see $step.log"
      tail -n 40 "$results/$step.log"
      rerun_alone "$step"
    fi
  } >"$results/$step.lines"
  cat "$results/$step.lines"
  cat "$results/$step.lines" >>"$results/summary.txt"
  rm "$results/$step.lines"
}

# run_steps STEP...: tests side by side, then the other steps one by one; writes the results after each.
run_steps() {
  local step tests=()
  for step in "$@"; do
    [[ " ${gpu_tests[*]} " == *" $step "* ]] || continue
    gpu_step "$step" &
    tests+=($!)
  done
  [[ ${#tests[@]} -eq 0 ]] || wait "${tests[@]}"
  write_results
  for step in "$@"; do
    [[ " ${gpu_tests[*]} " != *" $step "* ]] || continue
    gpu_step "$step"
    write_results
  done
}

# selected_steps [GROUP|STEP...]: the steps in the order of the groups; all without arguments.
selected_steps() {
  local word
  for word in "$@"; do
    case $word in
      tests) printf '%s\n' "${gpu_tests[@]}" ;;
      measurements) printf '%s\n' "${gpu_measurements[@]}" ;;
      comparisons) printf '%s\n' "${gpu_comparisons[@]}" ;;
      program) printf '%s\n' "${gpu_of_program[@]}" ;;
      *)
        [[ " ${gpu_steps[*]} " == *" $word "* ]] || {
          say "dev: there is no step '$word'; the groups are tests, measurements, comparisons and program, the steps" \
            "${gpu_steps[*]}"
          return 2
        }
        echo "$word"
        ;;
    esac
  done
  [[ $# -gt 0 ]] || printf '%s\n' "${gpu_steps[@]}"
}

# unpack_gpu: unpacks what `./dev gpu-pack` made, where it is here.
unpack_gpu() {
  [[ -f $root/build/gpu.tar.xz ]] || return 0
  [[ ! $root/build/gpu/unpacked -nt $root/build/gpu.tar.xz ]] || return 0
  if command -v xz >/dev/null; then tar -C "$root/build" -xJf "$root/build/gpu.tar.xz"
  else python3 -m tarfile -e "$root/build/gpu.tar.xz" "$root/build"; fi
  touch "$root/build/gpu/unpacked"
}

# write_results: everything so far as one file, because few files come back from a lent machine.
write_results() { tar -C "$root/build" -czf "$target/gpu-results.tar.gz" gpu-results; }

job_gpu() {
  local bin="$root/build/gpu/bin" results="$root/build/gpu-results" target steps program carried=0 earlier failed
  target=$(realpath -m -- "${1:-$root/bench/results}")
  steps=$(selected_steps "${@:2}") || exit
  mkdir -p "$results" "$target"
  unpack_gpu
  if [[ -d $bin ]]; then
    export KALABA_CUBINS=$root/build/gpu/cubins
    mkdir -p "$KALABA_CUBINS"
    carried=$(find "$KALABA_CUBINS" -name '*.cubin' | wc -l)
    cp "$root/build/gpu/commit" "$results/"
  else
    need "${build_packages[@]}"
    build_gpu_programs release
    bin="$root/build/gpu-links"
    mkdir -p "$bin"
    for program in "${gpu_programs[@]}"; do ln -sf "$root/build/release/$program" "$bin/"; done
    git -C "$root" rev-parse HEAD >"$results/commit"
  fi
  date -u +%FT%TZ >>"$results/dates"
  "$bin/kalaba" devices | tee "$results/devices.txt"
  grep -q '^cuda [0-9]' "$results/devices.txt" || {
    say "dev: the GPU steps need a device; $(sed -n 's/^cuda: not here: //p' "$results/devices.txt")"
    exit 4
  }
  if command -v nvidia-smi >/dev/null; then nvidia-smi -q -d CLOCK,POWER >"$results/nvidia-smi.txt" 2>&1 || true; fi
  touch "$results/summary.txt"
  earlier=$(wc -l <"$results/summary.txt")
  # shellcheck disable=SC2086 # a word for each step
  run_steps $steps
  failed=$(tail -n "+$((earlier + 1))" "$results/summary.txt" | grep -cE '^[a-z_]+: FAILED' || true)
  if [[ -n ${KALABA_CUBINS-} ]]; then
    echo "cubins: $carried carried, $(($(find "$KALABA_CUBINS" -name '*.cubin' | wc -l) - carried)) compiled here"
  fi
  echo "$failed failed; logs and JSON: $target/gpu-results.tar.gz"
  [[ $failed -eq 0 ]]
}

build_gpu_programs() {
  local targets=("${gpu_programs[@]##*/}")
  build "$1" --target "${targets[@]/%kalaba/kalaba_cli}" "${@:2}"
}

# job_gpu_pack [GROUP|STEP...]: packs programs, libraries and the cubins that these steps need (all tests, measurements
# and `check` without arguments; `bench` always). `program` packs the program alone and no cubins, for a machine that has
# NVRTC: that machine compiles the kernels on all its cores.
job_gpu_pack() {
  local steps
  need "${build_packages[@]}"
  if [[ $* == program ]]; then
    gpu_programs=(kalaba)
    build_gpu_programs gpu
    pack "$root/build/gpu-build" ""
    return
  fi
  [[ $# -gt 0 ]] || set -- tests measurements check
  steps=$(selected_steps bench "$@") || exit
  build_gpu_programs gpu null_driver statistics_run_emulated_test
  pack "$root/build/gpu-build" "$steps"
}

# pack BUILD_FOLDER STEPS: writes build/gpu.tar.xz, without the C library, the driver and NVRTC; without cubins if there
# are no steps.
pack() {
  local build=$1 steps=$2 folder="$root/build/gpu" size
  copy_programs "$build" "$folder"
  git -C "$root" rev-parse HEAD >"$folder/commit"
  if [[ -n $steps ]]; then
    phase "collecting cubins" gpu-cubins collect_cubins "$build" "$folder" "$steps"
    phase "running the pack without compilers" gpu-proof prove_pack "$build" "$folder"
  fi
  # The programs share most of their bytes; a large dictionary finds them.
  tar -C "$root/build" -I 'xz -3 --lzma2=preset=3,dict=64MiB' -cf "$folder.tar.xz" gpu
  size=$(du -m "$folder.tar.xz" | cut -f 1)
  say "build/gpu: $(du -sm "$folder" | cut -f 1) MiB, $(find "$folder/cubins" -name '*.cubin' | wc -l) cubins; build/gpu.tar.xz: $size MiB"
  [[ $size -le 45 ]] || fail "the pack is larger than the 45 MiB that a lent machine takes beside the sources"
}

# copy_programs BUILD_FOLDER FOLDER: the programs find the libraries by $ORIGIN/../lib, so that nothing else sees them.
copy_programs() {
  local build=$1 folder=$2 program
  local theirs='libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl|libcuda|libnvidia[^/]*'
  rm -rf "$folder"
  mkdir -p "$folder/bin" "$folder/lib" "$folder/cubins"
  for program in "${gpu_programs[@]}"; do
    strip -o "$folder/bin/$(basename "$program")" "$build/$program"
    ldd "$build/$program" | awk '$3 ~ /^\// { print $3 }' | grep -vE "/($theirs)\.so" >>"$folder/needed"
  done
  sort -u "$folder/needed" | xargs cp -L -t "$folder/lib/"
  rm "$folder/needed"
  empty_icu_data "$folder/lib"
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

# collect_cubins BUILD_FOLDER FOLDER STEPS: runs the steps on the null driver, which executes no kernel, so that every
# program is compiled and kept. Tests fail there; the cubins are the result. build/gpu-cubins keeps them between packs.
collect_cubins() {
  local build=$1 folder=$2 bin=$2/bin results step limit=3600 all="$root/build/gpu-cubins" started
  results=$(mktemp -d)
  started="$results/started"
  touch "$started"
  mkdir -p "$all"
  export KALABA_CUBINS=$all
  local null="$build/tests/cuda/null_driver/lib"
  for step in $3; do
    echo "== $step"
    case $step in
      memcheck | racecheck | profile | device_test | reduction_test) ;;  # no programs, or those of other steps
      statistics_run_test)
        LD_LIBRARY_PATH=$null limited "$build/tests/cuda/statistics_run_emulated_test" || true ;;
      bench) LD_LIBRARY_PATH=$null limited "$bin/kalaba" bench --backend cuda --seconds 0.01 || true ;;
      ab) LD_LIBRARY_PATH=$null KALABA_AB_SECONDS=0.01 limited bash "$root/bench/gpu_ab.sh" "$bin/kalaba" "$results" || true ;;
      peers) LD_LIBRARY_PATH=$null limited python3 "$root/bench/gpu_peers.py" --kalaba "$bin/kalaba" --on gpu --only kalaba || true ;;
      check) printf '%s\n' "${checked_systems[@]}" |
        LD_LIBRARY_PATH=$null xargs -P "$(nproc)" -n 1 timeout 3600 "$bin/kalaba" check --backend cuda || true ;;
      *) LD_LIBRARY_PATH=$null "step_$step" || true ;;
    esac
  done
  unset KALABA_CUBINS
  find "$all" -name '*.cubin' -newer "$started" -exec cp -t "$folder/cubins/" {} +
  rm -rf "$results"
}

# prove_pack BUILD_FOLDER FOLDER: runs `bench` of the pack on the null driver with an empty environment and an NVRTC that
# refuses to compile; as root, in a root folder with the C library and nothing else. A cubin that is missing fails it.
prove_pack() {
  local build=$1 folder=$2 top lib code=0
  local command=(/pack/bin/kalaba bench --backend cuda --seconds 0.01)
  top=$(mktemp -d)
  mkdir -p "$top/pack" "$top/null" "$top/lib" "$top/lib64"
  cp -r "$folder/bin" "$folder/lib" "$folder/cubins" "$top/pack/"
  cp -L "$build"/tests/cuda/null_driver/{lib,refusing}/*.so.* "$top/null/"
  if [[ $(id -u) -eq 0 ]]; then
    cp -L /lib64/ld-linux-x86-64.so.2 "$top/lib64/"
    for lib in libc.so.6 libm.so.6 libmvec.so.1 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2; do
      cp -L "$(ldconfig -p | awk -v name="$lib" '$1 == name && /x86-64/ { print $NF; exit }')" "$top/lib/"
    done
    # The loader reads $ORIGIN from /proc, which is not there.
    env -i LD_LIBRARY_PATH=/null:/lib LD_ORIGIN_PATH=/pack/bin KALABA_CUBINS=/pack/cubins "$(command -v chroot)" "$top" "${command[@]}" || code=$?
  else
    env -i LD_LIBRARY_PATH="$top/null" KALABA_CUBINS="$top/pack/cubins" "$top${command[0]}" "${command[@]:1}" || code=$?
  fi
  rm -rf "$top"
  return "$code"
}

#!/usr/bin/env bash
# `./dev gpu` with programs that replace the packed ones: a step that hangs is killed, a failed test is repeated in a
# process of its own, one archive contains all results, and a machine without a device reports the actual reason:
# gpu_steps.sh SOURCE_DIR
set -euo pipefail
source=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp -r "$source/dev" "$source/tools" "$root/"
mkdir -p "$root/bench" "$root/build/gpu/bin" "$root/build/gpu/cubins" "$root/out"
echo 0123456 >"$root/build/gpu/commit"

die() {
  printf 'FAILED: %s\n--- output\n%s\n' "$*" "$(cat "$root/log")"
  exit 1
}
stub() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$root/build/gpu/bin/$1"
  chmod +x "$root/build/gpu/bin/$1"
}
prints() { grep -qF -- "$1" "$root/log" || die "the output lacks '$1'"; }

stub kalaba 'echo "cuda: not here: the driver is asleep"'
code=0
"$root/dev" gpu "$root/out" device_test >"$root/log" 2>&1 || code=$?
[[ $code -eq 4 ]] || die "exit code $code without a device, expected 4"
prints "the driver is asleep"

stub kalaba 'echo "cuda 0: Stub GPU"; echo new >"$KALABA_CUBINS/made.cubin"'
stub device_test '[[ ${1-} == --gtest_filter=A.B ]] || { echo "[  FAILED  ] A.B (3 ms)"; echo "[  FAILED  ] C/D.E/0, where GetParam() = 4 (1 ms)"; exit 1; }'
stub swarm_device_test 'sleep 1000'
stub cusolver_test 'echo "[  SKIPPED ] A.B (0 ms)"'
stub reduction_device_test 'touch "$0.begun"; for _ in {1..50}; do [[ ! -f ${0/reduction_/pseudo_inverse_}.begun ]] || exit 0; sleep 0.1; done; exit 1'
stub pseudo_inverse_device_test 'touch "$0.begun"; for _ in {1..50}; do [[ ! -f ${0/pseudo_inverse_/reduction_}.begun ]] || exit 0; sleep 0.1; done; exit 1'
code=0
KALABA_STEP_SECONDS=1 "$root/dev" gpu "$root/out" device_test swarm_test cusolver_test >"$root/log" 2>&1 || code=$?
[[ $code -eq 1 ]] || die "exit code $code with failed steps, expected 1"
prints "device_test: FAILED (exit code 1)"
prints "passes in a process of its own: A.B"
prints "fails in a process of its own: C/D.E/0"
prints "swarm_test: FAILED (exit code 124: over 1 s)"
prints "cusolver_test: passed, "
prints " s, 1 skipped, see cusolver_test.log"
prints "cubins: 0 carried, 1 compiled here"
prints "2 failed"
tar -tzf "$root/out/gpu-results.tar.gz" >"$root/log"
for file in device_test.log swarm_test.log summary.txt devices.txt commit; do prints "gpu-results/$file"; done

# Tests run side by side: each of these two waits for the other.
"$root/dev" gpu "$root/out" reduction_test pseudo_inverse_test >"$root/log" 2>&1 || die "exit code $? of steps side by side"

code=0
"$root/dev" gpu "$root/out" device_tests >"$root/log" 2>&1 || code=$?
[[ $code -eq 2 ]] || die "exit code $code for an unknown step, expected 2"
prints "there is no step 'device_tests'"

#!/usr/bin/env bash
# The oldest NVRTC of CUDA 12 and the newest one of PyPI compile the kernels of three systems:
# nvrtc_versions.sh KALABA FOLDER (for the downloads)
set -euo pipefail
kalaba=$(realpath -- "$1")
mkdir -p "$2"
cd -- "$2"
systems=(spherical_pendulum knife_edge two_particles_incline)

fetch() {
  [[ -n $(find "$1" -name 'libnvrtc.so.1?' 2>/dev/null) ]] && return
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --timeout 20 --retries 1 \
    -d "$1" "$1" >/dev/null 2>&1 || { echo "SKIPPED: pip cannot download $1"; exit 0; }
  python3 -m zipfile -e "$1"/*.whl "$1"
  rm -- "$1"/*.whl
}

failed=0
for wheel in nvidia-cuda-nvrtc-cu12==12.0.140 nvidia-cuda-nvrtc; do
  fetch "$wheel"
  library=$(find "$PWD/$wheel" -name 'libnvrtc.so.1?' -type f)
  # The first name that Kalaba asks the loader for, so that no other NVRTC of this machine is taken.
  [[ -e $(dirname "$library")/libnvrtc.so.13 ]] || ln -s "$(basename "$library")" "$(dirname "$library")/libnvrtc.so.13"
  if LD_LIBRARY_PATH=$(dirname "$library") "$kalaba" devices --resources "${systems[@]}" --arch sm_90 >log 2>&1 &&
    [[ $(grep -c ' advance ' log) -eq ${#systems[@]} ]] && grep -qF "$library" log; then
    echo "$wheel: $(grep -o 'NVRTC [0-9.]*' log | head -n 1) compiles ${systems[*]}"
  else
    echo "$wheel failed, or was not the one that compiled ($library):"
    cat log
    failed=1
  fi
done
exit "$failed"

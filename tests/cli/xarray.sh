# Outputs read by xarray, and the lines of the guide that open one.
source "$(dirname -- "$0")/harness.sh" "$1"
reader=$2 guide=$3

# Debian's Python may differ from the one in the PATH.
python=""
for candidate in python3 /usr/bin/python3; do
  if command -v "$candidate" >/dev/null && "$candidate" -c 'import xarray, h5netcdf' 2>logs/python; then
    python=$candidate
    break
  fi
done
if [[ -z $python ]]; then
  echo "skipped: no Python here has xarray and h5netcdf (Debian: python3-xarray, python3-h5netcdf)"
  exit 77
fi

expect 1 run two_particles_incline -o failing.nc --quiet -s ensemble.members=2 -s time.end=0.1 \
  -s solver.consistency_tolerance=1e-300 -s solver.stabilization=none
expect 0 run spherical_pendulum -o pendulum.nc --quiet -s ensemble.members=300 -s ensemble.seed=7 -s time.end=0.5 \
  -s 'parameters.L={uniform=[0.5, 2]}' -s 'parameters.m={values=[1, 2, 4]}' \
  -s 'output.fields=["q", "w", "energy"]' \
  -s 'output.statistics=["mean", "std", "min", "max", "quantiles", "histogram", "correlation"]' \
  -s 'output.histogram={bins=8, z=[0, 2]}' -s output.group_by=parameters.m
for repeats in 1 2; do
  expect 0 run spherical_pendulum -o "grid$repeats.nc" --quiet -s time.end=0.1 -s "ensemble.members=$((6 * repeats))" \
    -s 'initial.x={linspace=[0.1, 0.5, 3]}' -s 'parameters.L={values=[1, 2]}'
done
"$python" "$reader" "$guide" || die "xarray reads another thing than was written"

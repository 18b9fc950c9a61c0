# Models compiled at run time: the command, the key, the line of the summary, and behaviour without a compiler.
source "$(dirname -- "$0")/harness.sh" "$1"
export KALABA_CACHE_DIR=$folder/cache

expect 2 compile nothing
complains "nothing"

code=0
"$kalaba" compile spherical_pendulum >logs/out 2>logs/err || code=$?
last="kalaba compile spherical_pendulum"
if [[ $code -eq 4 ]] && grep -q "no C++ compiler found" logs/err; then
  echo "SKIPPED: no C++ compiler here"
  exit 77
fi
[[ $code -eq 0 ]] || die "$last: exit code $code"
prints "spherical_pendulum: compiled by " " s (kept in "
expect 0 compile spherical_pendulum
prints "spherical_pendulum: compiled before by "

# A run uses an existing cache entry.
expect 0 run spherical_pendulum --backend cpu -s time.end=0.5 -o now.csv
prints "  code " "compiled before by "

# A model given as data; then without a compiler, which is not an error of the user.
write_bead 2
expect 0 run bead.toml --backend cpu -o compiled.csv
prints "bead: compiled by "
near compiled.csv x 0.49099964 1e-6
expect 0 run bead.toml --backend cpu -s solver.compile=never -o interpreted.csv
prints "bead: not compiled: solver.compile = \"never\"; interpreted on packs"
near interpreted.csv x 0.49099964 1e-6
expect 4 run bead.toml --backend cpu -s solver.compile=never -s solver.precision=single -o single.csv
complains 'bead: not compiled: solver.compile = "never"; interpreted models are in double precision: ' \
  'expected solver.precision = "double", found "single"'
expect 0 run bead.toml --backend cpu -s ensemble.members=4 --shard 1/2 -o beads.nc

export KALABA_CXX=$folder/no-compiler
expect 4 compile bead.toml
complains "bead: not compiled: KALABA_CXX = $KALABA_CXX cannot be run"
expect 0 run bead.toml --backend cpu -o without.csv
prints "bead: not compiled: KALABA_CXX = " "; interpreted on packs"
same without.csv interpreted.csv
expect 4 run bead.toml --backend cpu -s solver.compile=always -o always.csv
complains "bead: not compiled: KALABA_CXX = $KALABA_CXX cannot be run" \
  "; solver.compile = \"always\" takes no other code, \"auto\" does"
[[ ! -e always.csv ]] || die "a run that is not compiled left always.csv"
printf '#!/bin/sh\ncase "$*" in --version) echo "fake++ 1.2.3";; *) echo "model.cpp:1: error: out of paper" >&2; exit 3;; esac\n' >fails
chmod +x fails
KALABA_CXX=$PWD/fails expect 4 run spherical_pendulum --backend cpu -s solver.compile=always -o always.csv
complains "failed with exit status 3: model.cpp:1: error: out of paper (kept: "
KALABA_CXX=$PWD/fails expect 0 run spherical_pendulum --backend cpu -s time.end=0.1 -o auto.csv
prints "out of paper (kept: " "; interpreted on packs"
# A run that was begun on one tier cannot be resumed on the other: the layout of its states differs.
expect 0 run bead.toml --backend cpu -s ensemble.members=4 --shard 2/2 -o beads.nc
expect 2 merge beads.1-of-2.nc beads.2-of-2.nc -o all.nc
complains "the backend was cpu, is now cpu, interpreted"

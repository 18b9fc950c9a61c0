# Small input errors and their messages.
source "$(dirname -- "$0")/harness.sh" "$1"

run=(run spherical_pendulum -s time.end=0.1)

expect 2 "${run[@]}" -o ''
complains "-o: expected the name of a file, found nothing"
expect 2 "${run[@]}" --threads 1 --threads 2
complains "--threads is given 2 times, expected it once"
expect 2 "${run[@]}" --backend gpu
complains "did you mean cuda?"
expect 2 bench spherical_pendulum --backend gpu
complains "did you mean cuda?"
expect 2 run spherical_pendulum -s time.end=.5
complains 'found ".5"; a number has digits on both sides of its point: write 0.5'
expect 2 "${run[@]}" -s parameters.L=5.
complains 'expected a number, found "5."; a number has digits on both sides of its point: write 5.0'
expect 2 "${run[@]}" -s initial.x=-.5
complains 'expected a number, found "-.5"' "write 0.5"
expect 2 "${run[@]}" -s 'parameters.L={uniform=[.5, 2]}'
complains "write 0.5"
printf 'system = "spherical_pendulum"\n[time]\nend = .5\n' >point.toml
expect 2 run point.toml
complains "point.toml:3:7:" "write 0.5"
printf 'system = "spherical_pendulum"\n[time]\nend = 5.\n' >point.toml
expect 2 run point.toml
complains "point.toml:3:" "write 5.0"
expect 2 "${run[@]}" -s 'parameters.L=[1, 2]'
complains "found an array; { values = [1, 2, 5] }"
expect 0 "${run[@]}" -o a.nc --quiet --plot a.png
[[ -s a.png ]] || die "--plot FILE, two words, drew nothing"
expect 2 "${run[@]}" a.png -o b.nc --plot
complains "'a.png' is one argument too many; --plot=a.png names the picture"
[[ ! -e b.nc ]] || die "a wrong word was found when all was integrated"
# One word in place of a list; separators; end times for adaptive steps.
expect 0 "${run[@]}" -o mean.nc --quiet -s output.statistics=mean
expect 2 "${run[@]}" -s output.statistics=meen
complains "did you mean mean?"
for separator in ';' '|' $'\t'; do
  printf "L${separator}m\n1.0${separator}2.0\n" >other.csv
  expect 2 "${run[@]}" -s 'parameters.L={file="other.csv"}'
  complains "other.csv:1: expected columns separated by commas, found"
done
expect 0 "${run[@]}" -s time.dt=0.03 -s solver.integrator=dop853 -o end.csv --quiet
[[ $(tail -n 1 end.csv | cut -d, -f2) == 0.1* ]] || die "adaptive steps did not end at time.end: $(tail -n 1 end.csv)"
expect 2 "${run[@]}" -s time.dt=0.03
complains "is not a whole number of steps of 0.03"
expect 2 plot a.nc --kind path --variables x,y,z,p_x,p_y
complains "expected at most 4 of them, found 5"
expect 0 plot a.nc --kind path --variables x,y -o path.png

# Scenarios from a pipe.
printf 'system = "spherical_pendulum"\n[time]\nend = 0.1\n' >piped.toml
last="kalaba run -"
"$kalaba" run - -o piped.nc --quiet <piped.toml || die "the standard input is no scenario"
exists piped.nc
"$kalaba" run <(cat piped.toml) -o piped.nc --quiet || die "a pipe is no scenario"
code=0
printf 'system = 3\n' | "$kalaba" run - 2>logs/err || code=$?
[[ $code -eq 2 ]] || die "exit code $code"
complains "standard input:1: system: expected text"

# A link is kept: its target is replaced.
mkdir there
for ending in nc csv; do
  : >"there/real.$ending"
  ln -s "there/real.$ending" "link.$ending"
  expect 0 "${run[@]}" -o "link.$ending" --quiet
  [[ -L link.$ending ]] || die "the link link.$ending was replaced"
  exists "there/real.$ending"
done
ln -s there/new.png link.png
expect 0 plot a.nc -o link.png
[[ -L link.png ]] || die "the link link.png was replaced"
exists there/new.png

# Names that the netCDF library would interpret differently.
expect 3 "${run[@]}" -o 'a\b.nc'
complains 'a\b.nc: expected a name without a backslash'
expect 3 info 'a\b.nc'
expect 0 "${run[@]}" -o 'a\b.csv' --quiet

# Long inputs are shortened in messages.
long=$(printf 'x+%.0s' {1..30000})
printf 'system = "spherical_pendulum"\n[[events]]\nname = "a"\nwhen = "%syy"\n' "$long" >long.toml
expect 2 run long.toml
[[ $(stat -c %s logs/err) -lt 1500 ]] || die "an expression of 60 kB is echoed: $(stat -c %s logs/err) bytes"
complains "long.toml:4: events[1].when:" "^"
printf 'system = "spherical_pendulum"\n[[events]]\nname = "a"\nwhen = "x + yy"\n' >short.toml
expect 2 run short.toml
complains "    x + yy" "        ^"
words=$(printf 'y%.0s' {1..20000})
expect 2 "${run[@]}" -s "events=[{name=\"a\", when=\"$words\"}]"
[[ $(stat -c %s logs/err) -lt 1500 ]] || die "an override of 20 kB is echoed: $(stat -c %s logs/err) bytes"

# Insufficient memory: the message states the available amount.
if [[ $("$kalaba" --version | awk '$1 == "sanitizers" { print $2 }') == none ]]; then
  code=0
  (
    ulimit -v 400000
    exec "$kalaba" run spherical_pendulum -s ensemble.members=100000000 -s solver.block_members=100000000 \
      -s solver.memory=1e12 --threads 1 >logs/out 2>logs/err
  ) || code=$?
  last="kalaba run under ulimit -v"
  [[ $code -eq 70 ]] || die "exit code $code"
  complains "not enough memory (the process is limited to 410 MB, see ulimit -v)" "100,000,000 members at once take about"
fi

# The output of a run is not a scenario.
expect 0 run spherical_pendulum -s time.end=0.1 -o written.nc --quiet
expect 2 run ./written.nc
complains "written.nc: expected a scenario or a model (TOML), found the output of a run"
expect 3 merge gone.1-of-2.nc gone.2-of-2.nc -o whole.nc
complains "2 of 2 shards are not there: gone.1-of-2.nc, gone.2-of-2.nc"
expect 3 merge gone.1-of-2.nc -o whole.nc
complains "gone.1-of-2.nc: there is no such file"
expect 2 run spherical_pendulum -s 'events=[{name="a",when=""}]' -o x.nc
complains "expected text that is not empty"

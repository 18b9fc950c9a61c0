# Pictures: from the command `plot`, and from `run --plot`.
source "$(dirname -- "$0")/harness.sh" "$1"

is_png() { [[ $(head -c 4 "$1" | tail -c 3) == PNG ]] || die "$last: $1 is not a PNG"; }

run=(run spherical_pendulum -s time.end=0.5 -s ensemble.members=20 -s 'parameters.L={uniform=[0.5, 2]}')
expect 0 "${run[@]}" -o pendulum.nc --plot
prints "picture      pendulum.png"
is_png pendulum.png
expect 0 "${run[@]}" -o pendulum.csv --plot=drawn.svg --quiet
is_silent
grep -q '<svg' drawn.svg || die "drawn.svg is not an SVG"

rm pendulum.png
expect 0 plot pendulum.nc
prints pendulum.png
is_png pendulum.png
expect 0 plot pendulum.csv --kind fan --variables x,z --member 3 -o fan.png
prints fan.png
is_png fan.png

expect 2 plot pendulum.nc --kind fann -o wrong.png
complains fann fan
expect 2 plot pendulum.nc --variables x,zz -o wrong.png
complains zz
expect 2 plot pendulum.nc --member 20 -o wrong.png
expect 3 plot pendulum.nc -o missing/wrong.png
absent wrong.png

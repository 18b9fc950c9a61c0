# Tables: data of a file in constraints, forces, parameters and starts.
source "$(dirname -- "$0")/harness.sh" "$1"

cat >road.csv <<'CSV'
"x [m]","y [m]"
0,2
0.5,1.1
1,0.6
1.8,0.3
2.5,0.7
3,1.4
4,3
CSV
cat >road.toml <<'TOML'
[model]
name = "road"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
energy = "m*(x_dot^2 + y_dot^2)/2 + m*g*y"
[model.parameters]
m = "1 kg"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
ground = "y = table(x, 'road.csv')"
[model.start]
x = 0.5
y = "table(x, 'road.csv')"
[model.time]
end = 2
TOML
mkdir -p elsewhere/logs
cd elsewhere # a file is sought beside the text that names it
expect 0 run ../road.toml -o ../cpu.csv -s output.fields='["q","energy","violation"]'
cd ..
expect 0 run road.toml -o reference.csv --backend reference -s output.fields='["q","energy","violation"]'
last() { tail -n 1 "$1" | cut -d, -f"$2"; }
near reference.csv x "$(last cpu.csv 3)" 1e-9
near cpu.csv energy "$(awk 'BEGIN { print 9.81 * 1.1 }')" 1e-4
near cpu.csv violation 0 1e-12
expect 0 describe road.toml
prints "table(x, 'road.csv')" "table'(x, 'road.csv')"
expect 0 describe road.toml --latex

# A pulse in time, with knots at steps: RK4 integrates its impulse up to rounding.
cat >pulse.csv <<'CSV'
t [s],force [N]
0,0
1,2
2,0
CSV
cat >push.toml <<'TOML'
[model]
name = "push"
mass = ["m"]
[model.parameters]
m = "2 kg"
[model.coordinates]
x = "m"
[model.force]
x = "table(t, 'pulse.csv', linear)"
[model.time]
end = 2
TOML
for backend in cpu reference; do
  expect 0 run push.toml -o push.csv --backend $backend -s output.fields='["q","w"]'
  near push.csv x_dot 1 1e-12
  complains "a linear table has kinks"
done
expect 1 run push.toml -o beyond.csv -s time.end=2.5
prints "non_finite"

# The result contains the data: the file is not needed any more.
expect 0 run road.toml -o road.nc --quiet
mv road.csv kept.csv
expect 0 plot road.nc -o road.svg
expect 0 report road.nc -o road.html
expect 0 info road.nc
prints "[model.tables]" '"road.csv" = { places = [0.0, 0.5, 1.0'
expect 3 run road.toml -o wrong.nc
complains "road.toml:12: model.holonomic.ground: cannot read road.csv: " "    y = table(x, 'road.csv')" "                  ^^^^^^^^"

# Errors in a file are reported with its line.
refused() { # refused MESSAGE, of the file road.csv
  expect 2 run road.toml -o wrong.nc
  complains "road.toml:12: model.holonomic.ground: $1" "                  ^^^^^^^^"
}
sed 's/^1,0.6/0.5,0.6/' kept.csv >road.csv
refused 'road.csv:4: column x [m]: expected more than 0.5, the place before, found 0.5'
sed 's/^1,0.6/1,nan/' kept.csv >road.csv
refused 'road.csv:4: column y [m]: expected a finite number, found "nan"'
sed 's/^1,0.6/1,0.6,3/' kept.csv >road.csv
refused 'road.csv:4: expected 2 cells, as in line 1, found 3'
sed 's/$/,1/' kept.csv >road.csv
refused 'road.csv:1: expected two columns, places and values, found 3'
tail -n +2 kept.csv >road.csv
refused 'road.csv:1: expected a line of column names, such as x [m], y [m], found numbers: 0, 2'
head -n 2 kept.csv >road.csv
refused 'road.csv: expected two rows at least, found 1'
sed 's/x \[m\]/x [s]/' kept.csv >road.csv
expect 2 run road.toml -o wrong.nc
complains "the places of road.csv are s, x is m" "            ^"
sed 's/y \[m\]/y [kg]/' kept.csv >road.csv
expect 2 run road.toml -o wrong.nc
complains "the two sides have different units: y is m, table(x, 'road.csv') is kg"
sed 's/y \[m\]/y [metre]/' kept.csv >road.csv
refused "road.csv: the unit [metre]: "
cp kept.csv road.csv

# A table over the whole run has values at its end, which in single precision is outside the table.
for end in 0.3 0.7 0.9; do
  cat >whole.toml <<TOML
[model]
name = "whole"
mass = ["1"]
[model.coordinates]
x = ""
[model.tables]
"push.csv" = { places = [0, 0.1, $end], values = [0, 1, 0.5] }
[model.force]
x = "table(t, 'push.csv')"
[model.time]
end = $end
dt = 0.1
TOML
  expect 0 run whole.toml -o whole.nc -s 'solver.precision="single"' --quiet
done

# Tables in a scenario's own expressions.
cat >lengths.csv <<'CSV'
m,L
0.5,1
1,2
2,2.5
CSV
cat >sweep.toml <<'TOML'
system = "spherical_pendulum"
[ensemble]
members = 4
[parameters]
m = { values = [0.5, 1.0, 1.25, 2.0] }
L = "table(m, 'lengths.csv', linear)"
[time]
end = 0.1
TOML
expect 0 run sweep.toml -o sweep.csv
[[ $(cut -d, -f7 sweep.members.csv | tr '\n' ' ') == "L 1 2 2.125 2.5 " ]] || die "lengths of a table: $(cat sweep.members.csv)"
expect 2 run sweep.toml -o wrong.nc -s 'events=[{name="a", when="x - table(t, \"road.csv\")"}]'
complains "tables are for models, parameters and starts"
expect 2 run road.toml -o wrong.nc -s "parameters.m=table(g)"
complains "table(x, 'FILE.csv')"
absent wrong.nc

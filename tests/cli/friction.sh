# Coulomb friction that depends on the normal forces that it changes: a ladder sliding between a wall and a floor.
source "$(dirname -- "$0")/harness.sh" "$1"

ladder() { # ladder WALL FLOOR: with friction of these normal forces
  cat <<END
[model]
name = "ladder"
mass = ["m", "m", "m*L^2/12"]
energy = "m*(x_dot^2 + y_dot^2)/2 + m*L^2/12*th_dot^2/2 + m*g*y"
[model.parameters]
m = "8 kg"
L = "3 m"
mu = "0.2 1"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
y = "m"
th = "rad"
[model.force]
y = "-m*g"
[model.holonomic]
wall = "x - L/2*cos(th) = 0"
floor = "y - L/2*sin(th) = 0"
[model.let]
foot = "-mu*$2"
top = "mu*$1"
[model.non_ideal]
x = "foot"
y = "top"
th = "-foot*L/2*sin(th) + top*L/2*cos(th)"
[model.start]
th = 0.7
x = "L/2*cos(th)"
y = "L/2*sin(th)"
th_dot = -0.001
x_dot = "-L/2*sin(th)*th_dot"
y_dot = "L/2*cos(th)*th_dot"
[model.time]
end = 0.4
dt = 1e-3
save_every = "final"
END
}
ladder ideal.x ideal.y >by_forces.toml
ladder ideal.wall ideal.floor >by_multipliers.toml

# th at 0.4 s, from an independent integration of the equations solved for the normal forces.
mu='parameters.mu={values=[0.0, 0.1, 0.2, 0.3, 0.4]}'
expected="0.38757629041271774 0.4356891141534829 0.4925836408262252 0.5600479336074614 0.6399588509906714"
column() { # column FILE NAME: of the last saved time, a member a line
  awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i; next } { last[$1] = $at }
    END { for (i = 0; i in last; ++i) print last[i] }' "$1"
}
alike() { # alike TOLERANCE NUMBERS NUMBERS
  paste <(tr ' ' '\n' <<<"$2") <(tr ' ' '\n' <<<"$3") |
    awk -v t="$1" '{ d = $1 - $2; if (d < 0) d = -d; if (d > t || NF != 2) bad = 1 } END { exit bad || NR == 0 }'
}
for model in by_forces by_multipliers; do
  for on in "--backend reference" "--backend cpu -s solver.compile=never" "--backend cpu -s solver.pseudo_inverse=qr" \
    "--backend cpu -s solver.pseudo_inverse=ldlt -s solver.compile=never"; do
    # shellcheck disable=SC2086
    expect 0 run $model.toml $on -s "$mu" -o ladder.csv
    prints "5 ok"
    alike 1e-8 "$expected" "$(column ladder.csv th | tr '\n' ' ' | sed 's/ $//')" ||
      die "$model $on: $(column ladder.csv th | tr '\n' ' ')"
  done
done

# The reported friction is the one that acts, and so is the normal force.
expect 0 run by_forces.toml --backend cpu -s solver.compile=never -o forces.csv --quiet \
  -s 'output.fields=["multipliers", "ideal_force", "non_ideal_force"]'
for pair in "ideal_x_dot lambda_1 1" "ideal_y_dot lambda_2 1" "non_ideal_x_dot ideal_y_dot -0.2" "non_ideal_y_dot ideal_x_dot 0.2"; do
  read -r one other factor <<<"$pair"
  alike 1e-9 "$(column forces.csv "$one")" "$(column forces.csv "$other" | awk -v f="$factor" '{ printf "%.17g\n", f * $1 }')" ||
    die "$one is not $factor times $other: $(tail -n 1 forces.csv)"
done

# Derivatives of the friction are included.
for model in by_forces by_multipliers; do
  expect 0 run $model.toml -s 'parameters.mu={values=[0.1999, 0.2001]}' --backend reference -o near.csv --quiet
  slope=$(column near.csv th | paste -sd' ' | awk '{ printf "%.12g\n", ($2 - $1) / 2e-4 }')
  for backend in cpu reference; do
    expect 0 run $model.toml --backend $backend -s 'sensitivities.of=["parameters.mu"]' -o slope.csv --quiet
    alike 1e-5 "$slope" "$(column slope.csv sensitivity_th_to_parameters.mu)" ||
      die "$model $backend: dth/dmu is $slope by differences; $(head -n 1 slope.csv) $(tail -n 1 slope.csv)"
  done
done

# Painlevé paradox: no normal force is consistent with this friction.
sed -e 's/^foot = .*/foot = "-3*abs(ideal.x)"/' -e 's/^top = .*/top = "0*ideal.y"/' \
  -e 's/^th = "-foot.*/th = "0*foot*L"/' by_forces.toml >paradox.toml
for on in "--backend reference" "--backend cpu -s solver.compile=never"; do
  # shellcheck disable=SC2086
  expect 1 run paradox.toml $on -o paradox.csv
  prints "1 not_converged" "member 0: no non-ideal force agrees with the constraint forces that it changes"
done

# A friction too stiff for the steps is reported before the run.
expect 0 run rough_ring -s time.dt=0.01 -s time.end=0.1
complains "at rest the friction of member 0 slows it down at 1e+03 1/s, too fast for steps of 0.01 s" "dt below 0.0028 s"
expect 0 run rough_ring -s time.dt=0.002 -s time.end=0.1
if grep -q "too fast" logs/err; then die "steps of 0.002 s are short enough"; fi

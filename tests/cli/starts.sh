# Starts that violate the constraints: reported, saved before and after projection, kept, or refused.
source "$(dirname -- "$0")/harness.sh" "$1"

disk=(run rolling_disk -s 'initial.w_a={values=[1, 3.5, 6]}' -s time.end=0.1)
moved=("${disk[@]}" -s initial.project=true)
values() { ncdump -v "$1" "$2" | sed -n "/^ $1 =/,/;/p" | sed 's/.*=//' | tr -d ' ;}\n'; }

expect 0 "${moved[@]}" -o moved.nc
prints "3 members moved onto the constraints, relatively farthest w_a of member 0: from 1 to 3.2812"
[[ $(values initial_w_a moved.nc) == 1,3.5,6 ]] || die "what was drawn: $(values initial_w_a moved.nc)"
[[ $(values projected_w_a moved.nc) == 3.28120451732968,4.11453785066302,4.94787118399635 ]] ||
  die "what it became: $(values projected_w_a moved.nc)"
counts() { ncdump -h "$1" >logs/header && grep -q ":members_moved_at_start = $2 *LL" logs/header; }
counts moved.nc 3 || die "the file does not count them"
expect 0 "${moved[@]}" -o moved.csv --quiet
expect 0 export moved.nc --csv tables
same tables/members.csv moved.members.csv

# No report if nothing is changed, or nothing is projected.
expect 0 run rolling_disk -s 'initial.heading={values=[1, 2]}' -s time.end=0.1
if grep -q "moved onto" logs/out; then die "a start that stays is said to move"; fi
expect 0 "${disk[@]}" -s initial.project=false
if grep -q "moved onto" logs/out; then die "a start that nobody projects is said to move"; fi

# Given starts are kept by default, and the changed ones are reported; if they cannot be kept, all are projected.
expect 0 "${disk[@]}" -o held.csv
prints "3 members moved onto the constraints, relatively farthest" "3 ok"
if grep -q "farthest w_a" logs/out; then die "what is held is said to move"; fi
awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  $2 == 0 { n += ($at["w_a"] == 1) + ($at["w_a"] == 3.5) + ($at["w_a"] == 6) } END { exit n != 3 }' held.csv ||
  die "what was given did not stay"
expect 0 run spherical_pendulum -s 'initial.x={values=[0.1, 2]}' -s time.end=0.1 -o far.csv
prints "2 ok" "2 members moved onto the constraints, relatively farthest"

# Starts that a model computes from others follow the given ones.
write_bead 0.1
for backend in cpu reference; do
  expect 0 run bead.toml -s 'initial.x={values=[2, 3]}' --backend $backend -s solver.compile=never -o bead.csv
  if grep -q "moved" logs/out; then die "a start on the constraints is said to move"; fi
  awk -F, '$2 == 0 { n += ($3 == 2 && $4 == 2) + ($3 == 3 && $4 == 4.5) } END { exit n != 2 }' bead.csv ||
    die "$backend: y did not follow x: $(grep ',0,' bead.csv)"
done
expect 0 run bead.toml -s initial.x=2 -s solver.compile=never --dry-run
prints "starts       x = 2 given; y = 2 follow (member 0)"
expect 0 run bead.toml -s initial.x=2 -s solver.compile=never --dry-run --json
prints '"starts": [{"name": "x", "value": 2, "given": true}, {"name": "y", "value": 2, "given": false}]'

# Likewise in blocks, after a resume and for shards.
expect 0 "${moved[@]}" -s ensemble.members=192 -s solver.block_members=64 -o blocks.nc
prints "192 members moved onto the constraints, relatively farthest w_a of member 0"
for part in 1 2; do expect 0 "${moved[@]}" -s ensemble.members=192 --shard $part/2 -o parts.nc --quiet; done
expect 0 merge parts.*-of-2.nc -o parts.nc
prints "192 members moved onto the constraints, relatively farthest w_a of member 0"
[[ $(values projected_w_a parts.nc) == "$(values projected_w_a blocks.nc)" ]] || die "the parts were moved otherwise"

# Kept starts: the others are changed, on every backend.
for backend in cpu reference; do
  expect 0 "${disk[@]}" -s initial.project=keep_varied -o "$backend.csv" --backend $backend
  prints "3 ok" "worst violation"
  if grep -q "moved onto" logs/out; then die "what is held is said to move"; fi
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $2 == 0 { n += ($at["w_a"] == 1) + ($at["w_a"] == 3.5) + ($at["w_a"] == 6)
      error = $at["v_t"] - 0.3 * $at["w_a"]; if (error > 1e-12 || error < -1e-12) n = -9 }
    END { exit n != 3 }' "$backend.csv" || die "$backend: the start is not what was drawn, or off the constraints"
done
expect 0 "${disk[@]}" -s initial.project=keep_varied -s solver.precision=single
prints "3 ok"
# Positions too: for a point on a sphere, two given coordinates determine the third.
expect 0 run spherical_pendulum -s 'initial.x={values=[0.1, 0.6]}' -s initial.y=0 -s initial.project=keep_varied \
  -s time.end=0.1 -o sphere.csv --quiet
awk -F, 'NR > 1 && $2 == 0 { n += $3 == 0.1 || $3 == 0.6; r = $3 ^ 2 + $4 ^ 2 + $5 ^ 2 - 1; if (r > 1e-12 || r < -1e-12) n = -9 }
  END { exit n != 2 }' sphere.csv || die "the sphere: $(grep ',0,' sphere.csv)"

# Constraints that cannot be satisfied fail per member; starts that must not change, likewise.
expect 1 run spherical_pendulum -s 'initial.x={values=[0.1, 2]}' -s initial.project=keep_varied -s time.end=0.1 -o far.nc
prints "1 ok, 1 not_assembled" "member 1: no start on the constraints was found that holds initial.x"
[[ $(values status far.nc) == 0,8 ]] || die "status of what cannot be met: $(values status far.nc)"
expect 1 "${disk[@]}" -s initial.project=refuse
prints "3 not_assembled" "member 0: initial.w_a would have to move from 1 to"
expect 0 run rolling_disk -s 'initial.heading={values=[1, 2]}' -s initial.project=refuse -s time.end=0.1

# Independent of the unit of length: a start on a circle, a start beside it, and circles that contradict each other.
circle() { # circle ROWS: with those constraints too
  cat <<END
[model]
name = "circle"
lagrangian = "(x_dot^2 + y_dot^2)/2 - 9.81*L*y"
[model.parameters]
L = 1.0
[model.coordinates]
x = ""
y = ""
[model.holonomic]
c = "x^2 + y^2 = L^2"
${1-}
[model.start]
x = "L"
y = "-L"
[model.time]
end = 0.01
dt = 1e-3
END
}
circle >circle.toml
circle 'low = "y = -1.5*L"
high = "y = -0.5*L"' >torn.toml
for backend in reference cpu; do
  on=(--backend "$backend" -s solver.compile=never)
  expect 0 run circle.toml "${on[@]}" -s 'parameters.L={values=[1e6, 1, 1e-3, 1e-6, 1e-8, 1e-9]}' -o sizes.csv --quiet
  awk -F, 'NR == FNR { for (i = 1; FNR == 1 && i <= NF; ++i) if ($i == "L") at = i; L[$1] = $at; next }
    FNR > 1 { ++n; r = sqrt($3 ^ 2 + $4 ^ 2) / L[$1] - 1; if (r > 1e-9 || r < -1e-9) n = -99 }
    END { exit n < 12 }' sizes.members.csv sizes.csv || die "$backend: off the circle: $(cat sizes.csv)"
  for L in 1 1e-5 1e-8; do
    expect 1 run torn.toml "${on[@]}" -s parameters.L=$L -o torn.nc
    prints "1 not_assembled"
    expect 1 run circle.toml "${on[@]}" -s parameters.L=$L -s initial.project=refuse -o beside.nc
    prints "member 0: initial.x would have to move from"
  done
done

expect 2 "${disk[@]}" -s initial.project=keep
complains "expected one of keep_varied, refuse, keep_given, found \"keep\"; did you mean"
expect 2 "${disk[@]}" -s initial.project=1
complains "expected true, false, \"keep_given\", \"keep_varied\" or \"refuse\", found 1"
expect 2 run swarm -s structure.agents=7 -s initial.project=keep_varied
complains "is not for a swarm"
expect 2 run balanced_rod -s initial.project=keep_varied
complains "a servo-constraint is not projected on"

# After a kill and a resume, the summary counts the starts of all members.
"$kalaba" run rolling_disk -s 'initial.w_a={values=[1, 3.5, 6]}' -s initial.project=true -s time.end=20 -s ensemble.members=960 -s solver.block_members=64 -o killed.nc --quiet &
run=$!
for _ in {1..6000}; do
  if [[ -s killed.partial.nc.checkpoint ]]; then break; fi
  sleep 0.01
done
sleep 0.3
kill -KILL "$run" 2>/dev/null || true
wait "$run" 2>/dev/null || true
expect 0 run --resume killed.nc
counts killed.nc 960 || die "members of before the kill are not counted"

# A crank closes at every angle: the given one stays, and the other joints do not turn several times.
cat >four_bar.toml <<'END'
[model]
name = "four_bar"
gravity = [0, -9.81, 0]
[model.bodies]
crank = { mass = 0.2, rod = [0.1, 0, 0] }
coupler = { mass = 0.5, rod = [0.3, 0, 0] }
rocker = { mass = 0.4, rod = [0.25, 0, 0] }
[model.joints]
pin = { child = "crank", type = "hinge", axis = [0, 0, 1] }
elbow = { parent = "crank", child = "coupler", at = [0.1, 0, 0], type = "hinge", axis = [0, 0, 1] }
base = { child = "rocker", at = [0.3, 0, 0], type = "hinge", axis = [0, 0, 1] }
tip = { parent = "coupler", at = [0.3, 0, 0], child = "rocker", child_at = [0.25, 0, 0], type = "hinge", axis = [0, 0, 1] }
[model.start]
pin = 1.5
base = 2
END
expect 0 run four_bar.toml -o cranks.csv --quiet -s ensemble.members=101 -s 'initial.pin={linspace=[-3.14, 3.14, 101]}' \
  -s time.end=0.001 -s time.dt=0.001
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
  $at["time"] == 0 {
    off = $at["pin"] - (-3.14 + 6.28 * $at["member"] / 100)
    if (off > 1e-9 || off < -1e-9 || $at["elbow"]^2 > 49 || ($at["base"] - 2)^2 > 49) exit wrong = 1
    ++members
  }
  END { exit wrong || members != 101 }' cranks.csv || die "a given crank has moved, or its joints turn several times"

# Outputs as CSV tables and NumPy arrays.
source "$(dirname -- "$0")/harness.sh" "$1"

run=(run spherical_pendulum -s time.end=0.1 -s time.save_every=50 -s ensemble.members=9 -s 'parameters.L={values=[1, 0, 2]}')
expect 1 "${run[@]}" -s initial.z=0.5 -s 'output.statistics=["mean", "quantiles"]' -o pendulum.nc --quiet
expect 1 "${run[@]}" -s initial.z=0.5 -o wanted.csv --quiet

# One table, as a run writes to CSV.
expect 0 export pendulum.nc --csv table.csv
prints table.csv
same table.csv wanted.csv
expect 0 plot table.csv -o table.png

# A folder of tables.
expect 0 export pendulum.nc --csv tables
prints tables/trajectories.csv tables/columns.csv tables/members.csv tables/statistics.csv
same tables/trajectories.csv wanted.csv
[[ $(head -n 1 tables/members.csv) == member,status,failure_time,rank_changes,singular_passages,m,L,g,repetition ]] || die "members.csv: its header"
grep -Eq '^1,not_converged,0,0,0,1,0,9\.8' tables/members.csv || die "members.csv: member 1 failed with L = 0"
grep -Eq '^2,ok,NaN,0,0,1,2,9\.8' tables/members.csv || die "members.csv: member 2 is ok with L = 2"
same tables/members.csv wanted.members.csv
grep -q '^time,ok_members,x_count,x_mean,x_q0.05' tables/statistics.csv || die "statistics.csv: its header"
[[ $(wc -l <tables/statistics.csv) -eq 4 ]] || die "statistics.csv: a row a saved time"
grep -q '^p_x,kg m/s,"\?rates' tables/columns.csv || die "columns.csv: no unit of p_x"

# Files with statistics only give a table too.
expect 1 "${run[@]}" -s initial.z=0.5 -s 'output.statistics=["mean"]' -s output.trajectories=false -o mean.nc --quiet
expect 0 export mean.nc --csv mean.csv
grep -q '^time,ok_members,x_count,x_mean' mean.csv || die "mean.csv: its header"

# Swarms have one row per agent, as in a run's CSV output; one swarm is one member.
for members in 1 3; do
  swarm=(run swarm -s structure.agents=4 -s structure.dimension=3 -s ensemble.members=$members -s 'initial.agents={disk=2}'
    -s time.end=0.01 -s time.dt=1e-3 -s time.save_every=5 --quiet)
  expect 0 "${swarm[@]}" -o swarm.nc
  expect 0 "${swarm[@]}" -o swarm.csv
  cp swarm.csv wanted_swarm.csv
  expect 0 export swarm.nc --csv swarm_table.csv
  same swarm_table.csv wanted_swarm.csv
  expect 0 export swarm.nc --csv swarm_tables
  same swarm_tables/trajectories.csv wanted_swarm.csv
  same swarm_tables/members.csv swarm.members.csv
  grep -q '^z_dot,m/s,' swarm_tables/columns.csv || die "columns.csv: no z_dot"
  # Variables of whole swarms: one row each.
  expect 0 "${swarm[@]}" -s 'output.fields=["invariants"]' -o whole.nc
  expect 0 export whole.nc --csv whole.csv
  [[ $(head -n 1 whole.csv) == member,time,beta_norm,* ]] || die "whole.csv: its header"
  [[ $(wc -l <whole.csv) -eq $((1 + members * 3)) ]] || die "whole.csv: a row a swarm and time"
done

expect 0 export pendulum.nc --npz pendulum.npz
prints pendulum.npz
[[ $(head -c 2 pendulum.npz) == PK ]] || die "pendulum.npz is not a zip"
expect 0 export pendulum.nc --npz again.npz
same pendulum.npz again.npz
python=
for each in python3 /usr/bin/python3; do
  if [[ -z $python ]] && "$each" -c 'import numpy' 2>/dev/null; then python=$each; fi
done
if [[ -n $python ]]; then
  "$python" - <<'PYTHON' || die "numpy reads something else"
import csv, json, zipfile, numpy
assert zipfile.ZipFile("pendulum.npz").testzip() is None
data = numpy.load("pendulum.npz")
assert data["q"].shape == (3, 3, 9) and data["q"].dtype == numpy.float64, data["q"].shape
assert data["coordinate"].tolist() == ["x", "y", "z"]
assert data["status"].dtype == numpy.int32 and data["status"].tolist() == [0, 2, 0] * 3
assert data["ok_members"].dtype == numpy.int64 and data["ok_members"].tolist() == [9, 6, 6]
assert data["L"].tolist() == [1, 0, 2] * 3
about = json.loads(data["about.json"])
assert about["variables"]["w"] == {"dimensions": ["time", "rate", "member"], "unit": "kg m/s",
                                   "meaning": about["variables"]["w"]["meaning"]}
assert about["attributes"]["seed"] == "1" and 'system = "spherical_pendulum"' in about["attributes"]["scenario"]
for row in csv.DictReader(open("wanted.csv")):
    time = list(data["time"]).index(float(row["time"]))
    for i, name in enumerate("xyz"):
        assert float(row[name]) == data["q"][time, i, int(row["member"])], row
PYTHON
else
  echo "skipped: python3 with numpy is not installed, so nobody else reads the arrays"
fi

expect 2 export pendulum.nc
complains "--csv FOLDER" "--npz FILE.npz"
expect 2 export wanted.csv --npz x.npz
complains "is a table already"
expect 2 export pendulum.nc --npz arrays.zip
complains "arrays.zip" ".npz"
expect 3 export missing.nc --npz x.npz
complains "missing.nc: there is no such file"
expect 3 export pendulum.nc --npz missing/x.npz
complains "missing"
expect 3 export pendulum.nc --csv wanted.csv/tables
complains "wanted.csv/tables"
(
  ulimit -f 2
  expect 3 export pendulum.nc --npz full.npz
  expect 3 export pendulum.nc --csv full.csv
)
absent x.npz full.npz full.csv arrays.zip
[[ -z $(find . -name '*.tmp') ]] || die "temporary files are left: $(ls)"

# Parameters whose names files use for another purpose, in this run or another.
taken() {
  printf '[model]\nname = "taken"\nlagrangian = "%s*x_dot^2/2 - x^2/2"\n[model.parameters]\n%s = 5.0\n' "$1" "$1" >taken.toml
  printf '[model.coordinates]\nx = ""\n[model.start]\nx = 1.0\n[model.time]\nend = 0.1\ndt = 0.01\n' >>taken.toml
}
taken initial_x
for file in taken.nc taken.csv; do
  expect 0 run taken.toml -s ensemble.members=9 -s 'initial.x={uniform=[1, 2]}' -s 'parameters.initial_x={uniform=[5, 6]}' \
    -s time.save_at=[0.1] -o $file --quiet
done
expect 0 export taken.nc --csv taken
for file in taken/members.csv taken.members.csv; do
  head -1 $file | grep -q ',parameter_initial_x,initial_x' || die "$file: $(head -1 $file)"
  awk -F, 'NR > 1 && !($6 >= 5 && $7 >= 1 && $7 <= 2) { exit 1 }' $file || die "$file mixes up start and parameter: $(head -3 $file)"
done
expect 0 plot taken.nc --kind heatmap --variables x --over parameters.initial_x,initial.x -o taken.svg
grep -q 'parameter_initial_x' taken.svg || die "taken.svg does not name its parameter"
taken event_count
expect 0 run taken.toml -o taken.nc --quiet
expect 0 export taken.nc --csv taken
taken q
expect 0 run taken.toml -s ensemble.members=4 -s 'parameters.q={uniform=[5, 6]}' -s 'events=[{name="e", when="x-0.999", action="record"}]' \
  -s output.trajectories=false -s 'output.statistics=["mean"]' -o taken.nc --quiet
expect 0 export taken.nc --csv taken
expect 0 report taken.nc -o taken.html

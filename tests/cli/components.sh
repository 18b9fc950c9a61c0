# Single components of fields: files have them alone, and every command reads such files or names what is not saved.
source "$(dirname -- "$0")/harness.sh" "$1"

content() { ncdump "$1" | grep -vE ':(created|wall_seconds|scenario) = |^netcdf '; }

some='output.fields=["z", "p_y", "energy", "multipliers_rod"]'
run=(spherical_pendulum -s ensemble.members=1000 -s time.end=1 -s time.save_every=50 -s 'parameters.L={uniform=[0.5, 2]}' --quiet)
expect 0 run "${run[@]}" -o whole.nc -s 'output.fields=["q", "w", "energy", "multipliers"]'
expect 0 run "${run[@]}" -o some.nc -s "$some"
expect 0 compare some.nc whole.nc --tolerance 0
prints "in the second file alone: x, y, p_x, p_z" "all within"
[[ $(stat -c %s some.nc) -lt $(($(stat -c %s whole.nc) * 6 / 10)) ]] || die "four of eight columns take more than 0.6 of the bytes"
expect 0 info some.nc
prints "(time, q_coordinate, member)" "(time, w_rate, member)" "(time, constraint, member)" 'fields = ["z", "p_y", "lambda_1", "energy"]'

# Tables.
expect 0 run "${run[@]}" -o some.csv -s "$some"
[[ $(head -n 1 some.csv) == "member,time,z,p_y,lambda_1,energy" ]] || die "columns of some.csv: $(head -n 1 some.csv)"
expect 0 export some.nc --csv tables
same tables/trajectories.csv some.csv
grep -q '^p_y,kg m/s,' tables/columns.csv || die "the columns of some.nc: $(cat tables/columns.csv)"
[[ $(wc -l <tables/columns.csv) -eq 5 ]] || die "the columns of some.nc: $(cat tables/columns.csv)"
expect 0 export some.nc --npz some.npz
expect 0 compare some.csv some.nc --tolerance 0

# Shards and a resumed run.
parts=(spherical_pendulum -s ensemble.members=9000 -s time.end=0.1 -s time.save_every=50 -s 'parameters.L={uniform=[0.5, 2]}' --quiet
  -s "$some" -s 'output.statistics=["mean", "quantiles", "histogram"]')
expect 0 run "${parts[@]}" -o all.nc
for i in 1 2; do expect 0 run "${parts[@]}" --shard "$i/2" -o part.nc; done
expect 0 merge part.*-of-2.nc -o part.nc --quiet
content all.nc >logs/all
content part.nc | cmp - logs/all || die "the merged file is not that of the undivided run"
expect 2 run "${run[@]}" -s 'output.fields=["z"]' --resume some.nc
complains "output.fields"

# Names that are not saved.
expect 2 plot some.nc --variables x
complains "x is not saved, expected it in output.fields; it has z, p_y, lambda_1, energy"
expect 2 run "${run[@]}" -o wrong.nc -s 'output.fields=["z", "enrgy"]'
complains "unknown field \"enrgy\"; did you mean energy?"
absent wrong.nc
for ending in nc csv; do
  expect 0 run "${run[@]}" -o "none.$ending" -s 'output.fields=[]'
  expect 0 info "none.$ending"
done
[[ $(head -n 2 none.csv | tr '\n' ' ') == "member,time 0,0 " ]] || die "none.csv: $(head -n 2 none.csv)"
exists none.members.csv
expect 0 info none.nc
! grep -qE '^  (q|w|energy|residual) ' logs/out || die "none.nc has fields: $(cat logs/out)"

# Agents of swarms.
swarm=(swarm -s structure.agents=7 -s ensemble.members=2 -s time.end=0.2 -s time.dt=0.01 -s time.save_every=5 --quiet)
expect 0 run "${swarm[@]}" -o swarm.csv -s 'output.fields=["y", "radius"]'
expect 0 run "${swarm[@]}" -o swarm.nc -s 'output.fields=["y", "radius"]'
[[ $(head -n 1 swarm.csv) == "member,time,agent,y,radius" ]] || die "columns of swarm.csv: $(head -n 1 swarm.csv)"
expect 0 export swarm.nc --csv swarms
same swarms/trajectories.csv swarm.csv

command -v gnuplot >/dev/null || exit 0
expect 0 plot some.nc -o some.svg
expect 0 plot some.csv -o some_csv.svg
expect 0 report some.nc -o some.html
expect 0 report none.nc -o none.html
expect 0 report all.nc -o all.html
expect 0 plot swarm.nc -o swarm.svg
expect 2 plot swarm.nc --kind animation -o swarm.gif
complains "it does not hold all coordinates of the agents"
expect 2 plot some.nc --kind animation -o some.gif
complains "the drawing needs variables that are not saved: x, y; add them to output.fields"
absent some.gif swarm.gif

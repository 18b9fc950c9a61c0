# Text models in every command, and commands on their outputs without the text.
source "$(dirname -- "$0")/harness.sh" "$1"
source_folder=${2:?}
cp "$source_folder"/examples/models/*.toml .

# One motion, and the text of the summary.
expect 0 run bead.toml -o bead.nc --backend reference
prints "1 ok" bead.nc
expect 0 export bead.nc --csv bead.csv
near bead.csv x 0.49099964 1e-6
expect 0 info bead.nc
prints "bead"
expect 0 plot bead.nc -o bead.svg
exists bead.svg
expect 0 report bead.nc -o bead.html
exists bead.html

# A model in place of a result is run and drawn, and leaves no other files.
mkdir temporary
export TMPDIR=$PWD/temporary
expect 0 plot bead.toml
prints bead.png
exists bead.png
expect 0 plot bead.toml --kind phase -o phase.svg
exists phase.svg
expect 0 report bead.toml -o page.html
grep -qF 'A[wire, x_dot] =' page.html || die "the page has no equations"
[[ -z $(ls temporary) ]] || die "left behind: $(ls temporary)"
printf 'system = "bead.toml"\n[output]\nfile = "own.nc"\ntrajectories = false\nstatistics = ["mean"]\n' >own.toml
expect 0 plot own.toml -o own.svg
absent own.nc
expect 2 plot bead.toml --kind fann
unset TMPDIR

# A model without a summary has no colon after its name.
grep -v '^summary' bead.toml >short.toml
expect 0 describe short.toml
[[ $(head -n 1 logs/out) == bead ]] || die "a summary that is not there"

# Derived equations.
expect 0 describe bead.toml
prints "bead: bead on a parabolic wire" "c " "1/m" "x_dot" "wire" "holonomic" "structure"
expect 0 describe bead.toml --latex
prints "\\"
expect 2 describe bead.toml --latexx
expect 2 describe spherical_pendulum --latex
complains "--latex is for models in files"

# Figures and invariants.
expect 0 check appell_particle.toml --backend reference
prints "appell_particle"
sed 's/^x = 1.2914496/x = 1.29/' appell_particle.toml >wrong.toml
expect 1 check wrong.toml --backend reference

# A sweep of the model; resumed, in shards, and merged after the model's file is removed.
cat >sweep.toml <<'END'
system = "bead.toml"
[ensemble]
members = 6
[parameters]
c = { linspace = [0.3, 0.8, 6] }
[initial]
x_dot = "0.2[1/s]*x"
[time]
end = 0.2
save_every = 50
[solver]
backend = "reference"
END
expect 0 run sweep.toml -o sweep.nc --quiet
for i in 1 2; do expect 0 run sweep.toml --shard "$i/2" -o part.nc --quiet; done
expect 0 run chain.toml -s structure.links=2 -s time.end=0.1 -s time.save_every=10 --backend reference -o chain.nc --quiet
rm ./*.toml
expect 0 merge part.1-of-2.nc part.2-of-2.nc -o merged.nc --quiet
expect 0 info merged.nc
prints "6 members"
expect 0 run --resume sweep.nc
prints "is complete"
expect 0 report sweep.nc -o sweep.html
expect 0 export chain.nc --csv chain.csv
head -n 1 chain.csv | grep -qF "x1,y1,x2,y2,x1_dot,y1_dot,x2_dot,y2_dot" || die "the chain's columns: $(head -n 1 chain.csv)"

# A model template runs without changes, alone and from a scenario that refers to it.
expect 0 init --model -o mine.toml
expect 0 run mine.toml -s time.end=0.1 --backend reference -o mine.nc --quiet
expect 0 init mine.toml -o scenario.toml
expect 0 run scenario.toml -s time.end=0.1 -s solver.backend=reference -o again.nc --quiet
expect 2 init
complains "--model"
expect 0 bench mine.toml -s time.end=0.05 --members 4 --seconds 0.1 --backend reference

# Errors are complete, with the exit code of bad input.
sed 's/y = c\*x^2"/y = c*x2^2"/' "$source_folder/examples/models/bead.toml" >bead.toml
expect 2 run bead.toml
complains "kalaba: bead.toml:16: model.holonomic.wire: there is no x2; did you mean x?" "    y = c*x2^2" "          ^^"
expect 3 run none.toml

# Models of dimensionless coordinates: the three forms of the documentation are accepted, with one motion; the error states the first two.
dimensionless() { # dimensionless UNIT FORCE
  printf '[model]\nname = "pendulum"\nlagrangian = "x_dot^2/2"\n[model.parameters]\nk = 1.0\n[model.coordinates]\nx = "%s"\n[model.start]\nx = 1.0\n[model.force]\nx = "%s"\n[model.time]\nend = 1.0\ndt = 0.01\n' "$1" "$2" >dimensionless.toml
}
dimensionless 1 '-sin(x)'
expect 2 describe dimensionless.toml
complains 'write 1[1/s^2]*(-sin(x)), or "" as the unit of the coordinates'
dimensionless 1 '-sin(x) - 1[1/s]*x_dot'
expect 2 describe dimensionless.toml
complains 'write 1[1/s^2]*(-sin(x)), or'
for form in '|-sin(x)' '1|1[1/s^2]*(-sin(x))' '1|-k*sin(x)'; do
  dimensionless "${form%%|*}" "${form#*|}"
  expect 0 run dimensionless.toml --backend reference -o dimensionless.csv --quiet
  near dimensionless.csv x 0.60008537 1e-6
done

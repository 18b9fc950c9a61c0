# Commands, help texts and errors of the command line.
source "$(dirname -- "$0")/harness.sh" "$1"

commands=(run merge init list describe devices plot check compile)

expect 0 --help
prints "Exit codes:" "130  interrupted" "Example:" "${commands[@]}"
for command in "${commands[@]}"; do
  expect 0 "$command" --help
  prints "Example:" "kalaba $command"
  expect 2 "$command" --no-such-option
  complains "there is no option '--no-such-option'" "kalaba $command --help"
done

expect 0 --version
prints "kalaba " "commit" "compiler" "build" "arch" "sanitizers"
commit=$(awk '$1 == "commit" { print $2 }' logs/out)
[[ $commit == unknown || $commit =~ ^[0-9a-f]{40}(-dirty)?$ ]] || die "not a commit: $commit"

expect 2
complains "Usage:"

expect 0 list
prints spherical_pendulum two_particles_incline "(agents = 5, 2, 3"
[[ $(grep -c '^  swarm ' logs/out) -eq 1 ]] || die "list: swarm is listed once"
[[ $(grep -c '^  swarm_matrix ' logs/out) -eq 1 ]] || die "list: swarm_matrix is listed once, with its sizes"
while read -r name _; do
  expect 0 describe "$name"
  prints "$name: " source equations coordinates rates defaults
done < <("$kalaba" list)

expect 0 describe two_particles_incline
prints "m1     1     kg     mass of the first particle" "p_y2" "rod" "across1" nonholonomic \
  "0 s to 3 s in steps of 0.001 s, every 50 saved" '"projection"' "Hamiltonian"
expect 0 describe swarm
prints '"none"' "agents = 1 to 100000000; dimension = 2, 3" 'law "morse"' "the first so many" "not of swarms" sensitivities

expect 0 devices
prints "cpu: " " lanes (" "reference: " "cuda: "
expect 3 devices --resources bed.toml
complains "bed.toml"
# Kernels of a model, if a compiler is installed.
expect 0 init --model
cp logs/out stated.toml
code=0
"$kalaba" devices --resources stated.toml >logs/out 2>logs/err || code=$?
if [[ $code -eq 4 ]]; then
  echo "no kernels compiled here: $(cat logs/err)"
else
  [[ $code -eq 0 ]] || die "devices --resources of a model: exit code $code, $(cat logs/err)"
  prints advance start observe "steps/s"
fi

# Output that cannot be written, detected at the end or, for a long output, before.
if [[ -w /dev/full ]]; then
  for words in "list" "init swarm"; do
    code=0
    # shellcheck disable=SC2086
    "$kalaba" $words >/dev/full 2>logs/err || code=$?
    last="kalaba $words >/dev/full"
    [[ $code -eq 3 ]] || die "$last: exit code $code"
    complains "standard output cannot be written"
    if grep -q Success logs/err; then die "$last: no reason is no success"; fi
  done
fi

expect 2 lst
complains "there is no command 'lst'; did you mean list?"
expect 2 lst --help
complains "there is no command 'lst'; did you mean list?"
expect 0 run nothing --help
expect 2 run spherical_pendulum --thread 2
complains "there is no option '--thread'; did you mean --threads?"
expect 2 run spherical_pendulum --plt=a.png
complains "there is no option '--plt'; did you mean --plot?"
expect 2 --backend cpu run spherical_pendulum
complains "there is no option '--backend'"
expect 2 run
complains SCENARIO
expect 2 list spherical_pendulum
complains "'spherical_pendulum' is one argument too many"
for command in describe init run check; do
  expect 2 "$command" sperical_pendulum
  complains "did you mean spherical_pendulum?"
done
expect 2 plot a.nc --member -3
complains "--member: expected a number from 0 on, found -3"
expect 2 plot a.nc --member x

# The name of a command is an ordinary argument after a command.
expect 2 describe run
complains "'run'"

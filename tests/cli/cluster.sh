# On a cluster: a process takes its part from who started it, and submit writes jobs that end as one file.
source "$(dirname -- "$0")/harness.sh" "$1"

content() { ncdump "$1" | grep -vE ':(created|wall_seconds|scenario) = |^netcdf '; }

run=(spherical_pendulum -s ensemble.members=50 -s time.end=0.01 -s time.save_every=5 -s solver.backend=reference
  -s 'parameters.L={uniform=[0.5, 2]}')
unset "${!SLURM_@}" "${!OMPI_@}" "${!PMI_@}"

# Ranks and arrays.
expect 2 run "${run[@]}" --shard auto -o parts.nc
complains "--shard auto: expected to be started by srun, mpirun or an array of Slurm's"
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3 expect 0 run "${run[@]}" --shard auto -o parts.nc
PMI_RANK=1 PMI_SIZE=3 expect 0 run "${run[@]}" --shard auto -o parts.nc
SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3 expect 0 run "${run[@]}" --shard auto -o parts.nc
exists parts.1-of-3.nc parts.2-of-3.nc parts.3-of-3.nc
SLURM_ARRAY_TASK_ID=12 SLURM_ARRAY_TASK_MIN=11 SLURM_ARRAY_TASK_COUNT=2 PMI_RANK=1 PMI_SIZE=2 \
  expect 0 run "${run[@]}" --shard auto -o both.nc
exists both.4-of-4.nc
SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_COUNT=2 expect 2 run "${run[@]}" --shard auto -o parts.nc
complains "SLURM_ARRAY_TASK_ID: expected a whole number, found 'x'"

# Scripts to look at.
submit=(submit "${run[@]}" -o 'a sweep.nc' --shards 4 --option=--partition=long)
expect 0 "${submit[@]}" --time 90m --dry-run
prints "#SBATCH --job-name=a_sweep" "#SBATCH --array=1-4" "#SBATCH --requeue" "#SBATCH --time=1:30:00" "#SBATCH --partition=long" \
  "'parameters.L={uniform=[0.5, 2]}'" "--shard \$SLURM_ARRAY_TASK_ID/4 --resume 'a sweep.nc'"
absent 'a sweep.array.sh'
expect 0 "${submit[@]}" --time 1.5h --dry-run --scheduler pbs
prints "#PBS -J 1-4" "#PBS -l walltime=1:30:00" "PBS_ARRAY_INDEX"
expect 0 "${submit[@]}" --time 100:09:59 --dry-run
prints "#SBATCH --time=100:09:59"
for time in soon 90 1:90:00 1:30 1:30:0 2-0 2-12:00:00 :30:00 0:00:00 0.5s nanh; do
  expect 2 "${submit[@]}" --time $time --dry-run
  complains "--time: expected 90m, 1.5h, 2d or 1:30:00, found '$time'"
done
expect 2 "${submit[@]}" -s parameters.M=3
complains "did you mean parameters.m"

# A scheduler that runs what it is handed, at once.
mkdir bin
cat >bin/sbatch <<'SBATCH'
#!/bin/bash
script=${!#}
jobs=$(sed -nE 's/^#SBATCH --array=1-([0-9]+)$/\1/p' "$script")
[[ -n $jobs || $* == *--dependency=afterok:77* ]] || exit 9
for ((i = 1; i <= ${jobs:-1}; i++)); do SLURM_ARRAY_TASK_ID=$i bash "$script" >/dev/null || exit; done
echo "77;cluster"
SBATCH
chmod +x bin/sbatch
PATH="$PWD/bin:$PATH" expect 0 "${submit[@]}"
prints "submitted 77 of 4 shards, and their merge to a sweep.nc behind it"
expect 0 run "${run[@]}" -o whole.nc --quiet
content whole.nc >logs/whole
content 'a sweep.nc' | cmp - logs/whole || die "what the jobs wrote is not the undivided run"
PATH=/nowhere expect 3 "${submit[@]}"
complains "sbatch"

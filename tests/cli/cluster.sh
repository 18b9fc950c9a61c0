# Clusters: a process takes its shard from the scheduler's environment, and submit writes jobs whose results are merged.
source "$(dirname -- "$0")/harness.sh" "$1"

content() { ncdump "$1" | grep -vE ':(created|wall_seconds|scenario) = |^netcdf '; }

run=(spherical_pendulum -s ensemble.members=50 -s time.end=0.01 -s time.save_every=5 -s solver.backend=reference
  -s 'parameters.L={uniform=[0.5, 2]}')
unset "${!SLURM_@}" "${!OMPI_@}" "${!PMI_@}" "${!SGE_@}" "${!PBS_@}" "${!LSB_@}"
# Task of a Slurm array: its number, and the array's number of tasks, first task, last task and step.
task() {
  local -x SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_COUNT=$2 SLURM_ARRAY_TASK_MIN=$3 SLURM_ARRAY_TASK_MAX=$4
  local -x SLURM_ARRAY_TASK_STEP=$5
  "${@:6}"
}

# Ranks and arrays.
expect 2 run "${run[@]}" --shard auto -o parts.nc
complains "--shard auto: expected to be started by srun, mpirun or an array of Slurm"
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=3 expect 0 run "${run[@]}" --shard auto -o parts.nc
PMI_RANK=1 PMI_SIZE=3 expect 0 run "${run[@]}" --shard auto -o parts.nc
SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=3 expect 0 run "${run[@]}" --shard auto -o parts.nc
exists parts.1-of-3.nc parts.2-of-3.nc parts.3-of-3.nc
PMI_RANK=1 PMI_SIZE=2 task 1 2 0 1 1 expect 0 run "${run[@]}" --shard auto -o both.nc
exists both.4-of-4.nc

# An array resubmitted for lost tasks has another size: task 3 of --array=3 has part 3 of 4, or is refused, and never
# has another part.
# none, and never another one.
for i in 1 2 4; do task $i 4 1 4 1 expect 0 run "${run[@]}" --shard auto --resume array.nc; done
task 3 1 3 3 1 expect 2 run "${run[@]}" --shard auto --resume array.nc
complains "expected an array of Slurm from 0 or 1 on without gaps, found 1 task from 3 to 3" "--shard auto/N"
task 3 2 2 3 1 expect 2 run "${run[@]}" --shard auto --resume array.nc
complains "found 2 tasks from 2 to 3"
task 3 2 3 7 4 expect 2 run "${run[@]}" --shard auto --resume array.nc
complains "found 2 tasks from 3 to 7"
task 2 4 0 6 2 expect 2 run "${run[@]}" --shard auto -o steps.nc
complains "found 4 tasks from 0 to 6"
task 1 1 1 1 1 expect 2 run "${run[@]}" --shard auto --resume array.nc
complains "this would be part 1 of 1, and array." "is of another division; --shard auto/N"
task 2 2 1 2 1 expect 2 run "${run[@]}" --shard auto -o array.nc
complains "of another division"
[[ $(ls array.*) == "$(printf 'array.1-of-4.nc\narray.2-of-4.nc\narray.4-of-4.nc')" ]] || die "there are other parts: $(ls)"
task 3 1 3 3 1 expect 0 run "${run[@]}" --shard auto/4 --resume array.nc
exists array.3-of-4.nc
expect 0 merge array.*-of-4.nc -o array.nc
task 5 1 5 5 1 expect 2 run "${run[@]}" --shard auto/4 -o array.nc
complains "expected an array of tasks from 1 to 4, as task i has part i, found SLURM_ARRAY_TASK_ID = 5"
task 3 4 0 3 1 expect 2 run "${run[@]}" --shard auto/4 -o array.nc
complains "found SLURM_ARRAY_TASK_ID = 3 of an array from 0 on"
PMI_RANK=1 PMI_SIZE=2 task 2 1 2 2 1 expect 0 run "${run[@]}" --shard auto/6 -o ranks.nc
exists ranks.4-of-6.nc
PMI_RANK=1 PMI_SIZE=4 task 2 1 2 2 1 expect 2 run "${run[@]}" --shard auto/6 -o ranks.nc
complains "expected a multiple of the 4 ranks of each task, found 6 parts"
PMI_RANK=1 PMI_SIZE=4 expect 2 run "${run[@]}" --shard auto/6 -o ranks.nc
complains "expected as many parts as ranks, found 6 and 4"
for wrong in auto/0 auto/x auto/ auto/1.5; do
  expect 2 run "${run[@]}" --shard $wrong -o wrong.nc
  complains "--shard: expected i/N, auto or auto/N with N from 1" "found '$wrong'"
done

PMI_RANK=0 PMI_SIZE=0 expect 2 run "${run[@]}" --shard auto/6 -o ranks.nc
complains "expected PMI_RANK < PMI_SIZE, found 0 and 0"

# Other schedulers.
SGE_TASK_ID=2 SGE_TASK_FIRST=1 SGE_TASK_LAST=3 SGE_TASK_STEPSIZE=1 expect 0 run "${run[@]}" --shard auto -o engine.nc
exists engine.2-of-3.nc
SGE_TASK_ID=undefined expect 2 run "${run[@]}" --shard auto -o engine.nc
complains "found none"
PBS_ARRAY_INDEX=2 expect 2 run "${run[@]}" --shard auto -o pbs.nc
complains "PBS does not state the bounds of its array (PBS_ARRAY_INDEX = 2); --shard auto/N states"
PBS_ARRAY_INDEX=2 expect 0 run "${run[@]}" --shard auto/3 -o pbs.nc
LSB_JOBINDEX=3 expect 0 run "${run[@]}" --shard auto/3 -o pbs.nc
exists pbs.2-of-3.nc pbs.3-of-3.nc
SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_COUNT=2 expect 2 run "${run[@]}" --shard auto -o parts.nc
complains "SLURM_ARRAY_TASK_ID: expected a whole number, found 'x'"

# Scripts to review before submission.
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

# Scheduler that runs its jobs immediately.
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

# Errors reported to the user if a GPU is missing, old, in use, full or faulty, with an emulated GPU:
# faults.sh KALABA FOLDER_OF_EMULATED_LIBRARIES
export LD_LIBRARY_PATH=$2
source "$(dirname -- "$0")/../cli/harness.sh" "$1"

short=(spherical_pendulum -s ensemble.members=200 -s time.end=0.05 -s time.save_every=10 -s 'parameters.L={uniform=[0.5,2]}')

expect 0 devices
prints "cuda 0: Emulated GPU 0" "sm_90" "statistics on cuda: reduced on the host: "

expect 0 run "${short[@]}" --backend cuda -o whole.nc
prints "cuda: Emulated GPU 0, 1 thread a member"
expect 0 run "${short[@]}" -o auto.csv
prints "Emulated GPU 0"
expect 0 run "${short[@]}" --backend cuda -o whole.csv

# Two devices share the members, and the small memory divides them into chunks: the results are the same rows.
KALABA_EMULATED_DEVICES=2 expect 0 run "${short[@]}" --backend cuda -o two.csv
prints "Emulated GPU 0 + Emulated GPU 1"
same whole.csv two.csv
KALABA_EMULATED_DEVICES=2 expect 0 run "${short[@]}" --devices 1 -o second.csv --backend cuda
prints "cuda: Emulated GPU 1"
same whole.csv second.csv
KALABA_EMULATED_MEMORY=30000 expect 0 run "${short[@]}" --backend cuda -o little.csv
same whole.csv little.csv

KALABA_EMULATED_DEVICES=2 expect 2 run "${short[@]}" --backend cuda --devices 2 -o none.csv
complains "2"
absent none.csv

# Swarms: the same rows on two devices and in chunks, and up to rounding on the cpu.
agents=(swarm -s structure.agents=11 -s ensemble.members=5 -s 'parameters.kappa={linspace=[1, 3, 5]}' -s time.end=0.2
  -s time.dt=0.01)
expect 0 run "${agents[@]}" --backend cuda -o swarm.csv
prints "cuda: Emulated GPU 0, a block a swarm"
KALABA_EMULATED_DEVICES=2 expect 0 run "${agents[@]}" -o two_swarms.csv
prints "Emulated GPU 0 + Emulated GPU 1"
same swarm.csv two_swarms.csv
KALABA_EMULATED_MEMORY=6000 expect 0 run "${agents[@]}" --backend cuda -o little_swarm.csv
same swarm.csv little_swarm.csv
expect 0 run "${agents[@]}" --backend cuda -s solver.precision=single -o single_swarm.csv
near single_swarm.csv x "$(tail -n 1 swarm.csv | cut -d, -f 4)" 1e-5
expect 0 bench swarm -s structure.agents=30 --backend cuda --members 3 --seconds 0.05 --json bench.json
prints "pair interactions/s"
grep -q '"pairs_per_second": [0-9]' bench.json || die "pair interactions in bench.json"
KALABA_EMULATED_FAULT=launch:1 expect 70 run "${agents[@]}" --backend cuda -o broken.nc
complains "members 0 to 4" "Emulated GPU 0" "ILLEGAL_ADDRESS"
absent broken.nc
expect 2 run "${agents[@]}" --backend cuda -s 'solver.pair_sum="cells"' -o none.csv
expect 4 run "${agents[@]}" --backend reference -o none.csv
complains '"cpu" and "cuda"'

export KALABA_EMULATED_FAULT
KALABA_EMULATED_FAULT=no_driver_init expect 4 run "${short[@]}" --backend cuda -o none.csv
complains 'backend "cuda"'
KALABA_EMULATED_FAULT=no_driver_init expect 0 run "${short[@]}" -o cpu.csv
complains "backend auto: cpu, because"
KALABA_EMULATED_FAULT=old_driver expect 4 run "${short[@]}" --backend cuda -o none.csv
complains "11.8" "12.0"
KALABA_EMULATED_FAULT=busy expect 4 run "${short[@]}" --backend cuda -o none.csv
complains "DEVICE_UNAVAILABLE"

# A crash of the compiler is reported as a message.
KALABA_EMULATED_FAULT=compiler KALABA_CACHE_DIR=$PWD/no_kernels expect 4 run "${short[@]}" --backend cuda -o none.csv
complains "compiling spherical_pendulum" "NVRTC 13.0" "signal 6" "nvidia-cuda-nvrtc"
KALABA_EMULATED_FAULT=compiler KALABA_CACHE_DIR=$PWD/no_kernels expect 0 run "${short[@]}" -o cpu3.csv
complains "backend auto: cpu, because"

KALABA_EMULATED_FAULT=busy expect 0 run "${short[@]}" -o cpu2.csv
complains "backend auto: cpu, because"
absent none.csv

# A kernel that fails in the middle: the members of the chunks before are kept, under a name that shows it.
KALABA_EMULATED_FAULT=launch:8 expect 70 run "${short[@]}" --backend cuda -s solver.block_members=64 -o half.nc
complains spherical_pendulum "members 64 to 127" "ILLEGAL_ADDRESS"
absent half.nc
exists half.partial.nc

expect 2 run "${short[@]}" --backend cpu -s solver.threads_per_member=4
complains threads_per_member
expect 2 run "${short[@]}" --backend cpu -s 'solver.pseudo_inverse="cusolver"'
complains cusolver
complains '"svd"' '"cuda"'

# cuSOLVER's pseudo-inverse; if the device or cuSOLVER's own is not available, no other method replaces it.
cusolver=("${short[@]}" -s 'solver.pseudo_inverse="cusolver"')
expect 0 run "${cusolver[@]}" -o cusolver.csv
prints "cuda: Emulated GPU 0"
near cusolver.csv x "$(tail -n 1 whole.csv | cut -d, -f 3)" 1e-12
KALABA_EMULATED_MEMORY=200000 expect 0 run "${cusolver[@]}" --backend cuda -o pieces.csv
same cusolver.csv pieces.csv
KALABA_EMULATED_FAULT=no_driver_init expect 4 run "${cusolver[@]}" -o none.csv
complains 'pseudo_inverse = "cusolver"' '"svd"'
KALABA_EMULATED_FAULT=svd:3 expect 1 run "${cusolver[@]}" -s solver.block_members=64 -o failed.csv
prints "not_converged"
absent none.csv

# Runs with a driver that executes no kernel: the overhead that Kalaba adds to the time of a kernel, and the cubins that
# it finds:
# null_driver.sh KALABA FOLDER_OF_NULL_DRIVER FOLDER_OF_REFUSING_NVRTC
null=$2
refusing=$3
source "$(dirname -- "$0")/../cli/harness.sh" "$1"
export LD_LIBRARY_PATH=$null
export KALABA_CACHE_DIR=$PWD/cache

# At least 2^20 members in one launch, timed by the device's events: with a kernel that takes no time, the figure is
# unrealistically high. A download of the state within the timed interval would reduce it to a few G steps/s.
expect 0 bench spherical_pendulum --backend cuda --seconds 0.2 --json bench.json
python3 - <<'EOF' || die "the speed of a kernel that takes no time in bench.json"
import json
(row,) = json.load(open("bench.json"))["rows"]
print(row["members"], row["member_steps_per_second"])
assert row["members"] >= 2**20, row
assert row["member_steps_per_second"] > 1e12, row
EOF

# A member that fits one thread gets one, although the code for singular positions needs a kilobyte of stack.
expect 0 run rolling_disk -s solver.pseudo_inverse=svd -s time.end=0.01 --backend cuda -o disk.csv
prints "cuda: Null GPU, 1 thread a member"

# Cubins copied to this machine need no compiler, whichever compiler made them.
short=(run spherical_pendulum -s ensemble.members=64 -s time.end=0.01 --backend cuda)
export KALABA_CUBINS=$PWD/cubins
expect 0 "${short[@]}" -o first.csv
kept=$(ls cubins)
[[ -n $kept ]] || die "cubins in the folder to be carried"
export LD_LIBRARY_PATH=$null:$refusing
expect 0 "${short[@]}" -o second.csv
same first.csv second.csv
expect 0 devices
prints "kernels on cuda: carried in $KALABA_CUBINS; others compiled by NVRTC 13.0" "$refusing/libnvrtc.so.13"
expect 70 "${short[@]}" -s solver.precision=single -o none.csv
complains "this NVRTC compiles nothing"
unset KALABA_CUBINS
expect 70 "${short[@]}" -o none.csv
complains "this NVRTC compiles nothing"

# The key contains the build of the compiler, and not the time of its file, which differs between machines.
mkdir moved
cp "$refusing/libnvrtc.so.13" moved/
export LD_LIBRARY_PATH=$null:$PWD/moved
expect 0 devices
identity=$(sed -n 's/.*compiled by \(NVRTC 13.0 [0-9a-f]*\), .*/\1/p' logs/out)
[[ -n $identity ]] || die "the identity of the compiler in: $(cat logs/out)"
touch -d 2001-01-01 moved/libnvrtc.so.13
expect 0 devices
prints "compiled by $identity, "

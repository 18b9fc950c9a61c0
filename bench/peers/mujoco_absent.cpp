#include "peers/peers.hpp"

namespace kalaba::peers {
namespace {

bench::Peer absent(const char* name) { return {name, "not installed: MuJoCo (Debian: libmujoco-dev)", nullptr}; }

}  // namespace

bench::Peer mujoco_pendulum() { return absent("mujoco"); }
bench::Peer mujoco_chain(int /*links*/) { return absent("mujoco"); }
bench::Peer mujoco_joints_pendulum() { return absent("mujoco_joints"); }
bench::Peer mujoco_joints_chain(int /*links*/) { return absent("mujoco_joints"); }

}  // namespace kalaba::peers

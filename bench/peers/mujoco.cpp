// MuJoCo, with one model and one data object for all members, which differ in their starts only. Its threads are not
// used: they require several data objects.

#include <mujoco/mujoco.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "peers/mjcf.hpp"
#include "peers/peers.hpp"

namespace kalaba::peers {
namespace {

using bench::Contender;
using bench::Ends;
using bench::Problem;

/// Start in the model's coordinates.
struct Start {
  std::vector<mjtNum> position, velocity;
};
/// Coordinates and rates of a member, in the problem's coordinates.
struct Given {
  std::vector<double> q, w;
};
using Translate = Start (*)(const Given& given);

mjModel* load(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("kalaba_peers-" + std::to_string(::getpid()) + ".xml");
  std::ofstream(path) << text;
  char error[500] = "";
  mjModel* model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
  std::filesystem::remove(path);
  if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
  return model;
}

class MujocoLoop final : public Contender {
 public:
  /// `axes`: indices in (x, y, z) of a mass of the problem's coordinates, in their order.
  MujocoLoop(const Problem& problem, const std::string& text, std::vector<int> axes, Translate translate)
      : steps_(problem.steps), model_(load(text)), data_(mj_makeData(model_)), axes_(std::move(axes)) {
    Ensemble ensemble = problem.ensemble();
    for (std::size_t member = 0; member < static_cast<std::size_t>(problem.members); ++member) {
      Given given;
      for (const Variable& each : problem.system.info.coordinates) {
        given.q.push_back(ensemble.initial(each.name)[member]);
      }
      for (const Variable& each : problem.system.info.rates) given.w.push_back(ensemble.initial(each.name)[member]);
      starts_.push_back(translate(given));
      if (std::ssize(starts_.back().position) != model_->nq || std::ssize(starts_.back().velocity) != model_->nv) {
        throw std::runtime_error("MuJoCo: the start does not fit the model");
      }
    }
  }
  ~MujocoLoop() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoLoop(const MujocoLoop&) = delete;
  MujocoLoop& operator=(const MujocoLoop&) = delete;

  void run(Ends& ends) override {
    const auto masses = static_cast<std::size_t>(model_->nbody - 1);
    ends.resize(masses * axes_.size() * starts_.size());
    for (std::size_t member = 0; member < starts_.size(); ++member) {
      mj_resetData(model_, data_);
      std::copy(starts_[member].position.begin(), starts_[member].position.end(), data_->qpos);
      std::copy(starts_[member].velocity.begin(), starts_[member].velocity.end(), data_->qvel);
      for (long step = 0; step < steps_; ++step) mj_step(model_, data_);
      mj_kinematics(model_, data_);  // positions of the masses after the last step
      std::size_t row = 0;
      for (std::size_t mass = 0; mass < masses; ++mass) {
        for (const int axis : axes_) {
          ends[row++ * starts_.size() + member] = data_->xipos[3 * (mass + 1) + static_cast<std::size_t>(axis)];
        }
      }
    }
  }

 private:
  long steps_;
  mjModel* model_;
  mjData* data_;
  std::vector<int> axes_;
  std::vector<Start> starts_;
};

/// Slide joints are relative to the masses' positions in the model: one below the other, or at z = 1.
Start slides_chain(const Given& given) {
  Start start = {given.q, given.w};
  for (std::size_t i = 0; i < given.q.size() / 2; ++i) start.position[2 * i + 1] += static_cast<double>(i + 1);
  return start;
}
Start slides_pendulum(const Given& given) {
  return {{given.q[0], given.q[1], given.q[2] - 1}, given.w};  // mass 1 kg: momentum equals velocity
}

/// Straight chain at rest at an angle from the vertical.
Start joints_chain(const Given& given) {
  Start start = {std::vector<mjtNum>(given.q.size() / 2, 0.0), std::vector<mjtNum>(given.q.size() / 2, 0.0)};
  start.position[0] = std::atan2(given.q[0], -given.q[1]);
  return start;
}
/// Rotation about y, and velocities perpendicular to its plane, which rotate the rod about its own x axis.
Start joints_pendulum(const Given& given) {
  const double angle = std::atan2(given.q[0], given.q[2]);
  return {{std::cos(angle / 2), 0, std::sin(angle / 2), 0}, {-given.w[1], 0, 0}};
}

bench::Peer peer(const std::string& name, const std::string& text, const std::vector<int>& axes, Translate translate,
                 double tolerance) {
  const auto make = [=](const Problem& problem) {
    return std::make_unique<MujocoLoop>(problem, text, axes, translate);
  };
  return {name, "", make, tolerance, mj_versionString()};
}

constexpr double soft = 1e-2;   // m: its constraints are springs
constexpr double close = 1e-6;  // m: its masses have some inertia

}  // namespace

bench::Peer mujoco_pendulum() { return peer("mujoco", mjcf_slides_pendulum(), {0, 1, 2}, slides_pendulum, soft); }
bench::Peer mujoco_chain(int links) { return peer("mujoco", mjcf_slides_chain(links), {0, 2}, slides_chain, soft); }
bench::Peer mujoco_joints_pendulum() {
  return peer("mujoco_joints", mjcf_joints_pendulum(), {0, 1, 2}, joints_pendulum, close);
}
bench::Peer mujoco_joints_chain(int links) {
  return peer("mujoco_joints", mjcf_joints_chain(links), {0, 2}, joints_chain, close);
}

}  // namespace kalaba::peers

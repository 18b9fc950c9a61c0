// MuJoCo, with one model and one data object for all members, which differ in their starts only. Its threads are not
// used: they require several data objects.

#include <mujoco/mujoco.h>
#include <unistd.h>

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
  MujocoLoop(const Problem& problem, const MujocoModel& model)
      : steps_(problem.steps),
        model_(load(model.text)),
        data_(mj_makeData(model_)),
        axes_(model.axes),
        starts_(model.starts(problem)) {
    for (const MujocoModel::Start& each : starts_) {
      if (std::ssize(each.position) != model_->nq || std::ssize(each.velocity) != model_->nv) {
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
  std::vector<MujocoModel::Start> starts_;
};

bench::Peer peer(const std::string& name, const MujocoModel& model) {
  const auto make = [=](const Problem& problem) { return std::make_unique<MujocoLoop>(problem, model); };
  return {name, "", make, model.tolerance, mj_versionString()};
}

}  // namespace

bench::Peer mujoco_pendulum() { return peer("mujoco", slides_pendulum()); }
bench::Peer mujoco_chain(int links) { return peer("mujoco", slides_chain(links)); }
bench::Peer mujoco_joints_pendulum() { return peer("mujoco_joints", joints_pendulum()); }
bench::Peer mujoco_joints_chain(int links) { return peer("mujoco_joints", joints_chain(links)); }

}  // namespace kalaba::peers

// Peers in a Python process that runs for all repetitions and reports the CPU time of each.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <stdexcept>

#include "peers/mjcf.hpp"
#include "peers/peers.hpp"

extern char** environ;

namespace kalaba::peers {
namespace {

using bench::Contender;
using bench::Ends;
using bench::Problem;

/// Python interpreter: $KALABA_PYTHON, or python3.
std::string python() {
  const char* named = std::getenv("KALABA_PYTHON");
  return named != nullptr ? named : "python3";
}

/// Output of a command; empty if it fails.
std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return "";
  std::array<char, 200> text = {};
  const std::size_t size = std::fread(text.data(), 1, text.size(), pipe);
  return ::pclose(pipe) == 0 ? std::string(text.data(), size) : "";
}

/// Child process with pipes for its input and output.
class Child {
 public:
  explicit Child(const std::string& script) {
    std::array<int, 2> in = {};
    std::array<int, 2> out = {};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
      throw std::runtime_error("no pipe to Python");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    std::string program = python();
    std::string quietly = "-Wignore::FutureWarning";
    std::string file = script;
    const std::array<char*, 4> arguments = {program.data(), quietly.data(), file.data(), nullptr};
    const int code = ::posix_spawnp(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    to_ = ::fdopen(in[1], "w");
    from_ = ::fdopen(out[0], "r");
    if (code != 0 || to_ == nullptr || from_ == nullptr) throw std::runtime_error("Python does not start");
  }
  ~Child() {
    std::fclose(to_);  // ends the child's loop
    std::fclose(from_);
    ::waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void write(const void* bytes, std::size_t size) {
    if (std::fwrite(bytes, 1, size, to_) != size) throw std::runtime_error("Python stopped listening");
  }
  void write(const std::string& text) { write(text.data(), text.size()); }
  void flush() { std::fflush(to_); }
  void read(void* bytes, std::size_t size) {
    if (std::fread(bytes, 1, size, from_) != size) throw std::runtime_error("Python failed; what it said is above");
  }
  double read_number() {
    double number = 0;
    if (std::fscanf(from_, "%lf", &number) != 1 || std::fgetc(from_) != '\n') {
      throw std::runtime_error("Python failed; what it said is above");
    }
    return number;
  }

 private:
  pid_t process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

class PythonLoop final : public Contender {
 public:
  /// MuJoCo's own starts, and its model behind the numbers.
  PythonLoop(const Problem& problem, const std::string& script, const MujocoModel& model, const std::string& suffix)
      : child_(PEERS_DIR "/" + script), numbers_(rows(problem) * static_cast<std::size_t>(problem.members)) {
    const std::vector<MujocoModel::Start> starts = model.starts(problem);
    std::string axes;
    for (const int axis : model.axes) axes += fmt::format(" {}", axis);
    child_.write(fmt::format("{}{} {} {} {} {} {} {} {}\n", problem.system.info.name, suffix, problem.members,
                             problem.steps, Problem::dt, 0, starts.front().position.size(),
                             starts.front().velocity.size(), problem.tolerance));
    const auto send = [&](std::vector<double> MujocoModel::Start::*part) {
      for (std::size_t i = 0; i < (starts.front().*part).size(); ++i) {
        for (const MujocoModel::Start& each : starts) child_.write(&(each.*part)[i], sizeof(double));
      }
    };
    send(&MujocoModel::Start::position);
    send(&MujocoModel::Start::velocity);
    child_.write(fmt::format("{}{}\n{}", model.text.size(), axes, model.text));
    child_.flush();
  }
  PythonLoop(const Problem& problem, const std::string& script, const std::string& suffix)
      : child_(PEERS_DIR "/" + script), numbers_(rows(problem) * static_cast<std::size_t>(problem.members)) {
    const SystemInfo& info = problem.system.info;
    Ensemble ensemble = problem.ensemble();
    child_.write(fmt::format("{}{} {} {} {} {} {} {} {}\n", info.name, suffix, problem.members, problem.steps,
                             Problem::dt, info.parameters.size(), info.coordinates.size(), info.rates.size(),
                             problem.tolerance));
    const auto send = [&](std::span<const double> row) { child_.write(row.data(), row.size_bytes()); };
    for (const Variable& each : info.parameters) send(ensemble.parameter(each.name));
    for (const Variable& each : info.coordinates) send(ensemble.initial(each.name));
    for (const Variable& each : info.rates) send(ensemble.initial(each.name));
    child_.flush();
  }

  void run(Ends& ends) override {
    child_.write("run\n");
    child_.flush();
    seconds_ = child_.read_number();
    ends.resize(numbers_);
    child_.read(ends.data(), ends.size() * sizeof(double));
  }
  double seconds_elsewhere() const override { return seconds_; }

 private:
  static std::size_t rows(const Problem& problem) {
    const SystemInfo& info = problem.system.info;
    return info.coordinates.size() + (problem.tolerance > 0 ? info.rates.size() : 0);
  }

  Child child_;
  std::size_t numbers_;
  double seconds_ = 0;
};

/// Peer of a script that requires the module. `suffix`: selects a rate of the system.
bench::Peer peer(const char* name, const std::string& module, const std::string& script,
                 const std::string& suffix = "") {
  const std::string version =
      output_of(fmt::format("{} -c 'import {}; print({}.__version__, end=\"\")'", python(), module, module));
  if (version.empty()) {
    return {name, fmt::format("not installed: {} (pip install {}; KALABA_PYTHON names its Python)", module, module),
            nullptr};
  }
  return {name, "",
          [script, suffix](const Problem& problem) { return std::make_unique<PythonLoop>(problem, script, suffix); },
          1e-9, version};
}

/// MuJoCo from PyPI by its rollout of all members at once.
bench::Peer rollout(const std::string& name, const MujocoModel& model, const std::string& suffix, double tolerance) {
  bench::Peer result = peer("mujoco", "mujoco", "mujoco_peer.py");
  result.name = name;
  result.tolerance = tolerance;
  if (result.make) {
    result.make = [=](const Problem& problem) {
      return std::make_unique<PythonLoop>(problem, "mujoco_peer.py", model, suffix);
    };
  }
  return result;
}

std::vector<bench::Peer> rollouts(const MujocoModel& slides, const MujocoModel& joints) {
  constexpr double of_euler = 1e-2;  // m: a method of first order
  return {rollout("mujoco_rollout", slides, "", slides.tolerance),
          rollout("mujoco_joints_rollout", joints, "", joints.tolerance),
          rollout("mujoco_joints_rollout_euler", joints, "_by_euler", of_euler)};
}

}  // namespace

std::vector<bench::Peer> mujoco_rollouts_pendulum() { return rollouts(slides_pendulum(), joints_pendulum()); }
std::vector<bench::Peer> mujoco_rollouts_chain(int links) { return rollouts(slides_chain(links), joints_chain(links)); }
bench::Peer jax() { return peer("jax", "jax", "jax_peer.py"); }
bench::Peer jax_by_hand() { return peer("jax_by_hand", "jax", "jax_peer.py", "_by_hand"); }
bench::Peer diffrax() { return peer("diffrax", "diffrax", "diffrax_peer.py"); }
bench::Peer scipy_dop853() { return peer("scipy_dop853", "scipy", "work_precision_peer.py", "_by_scipy"); }
bench::Peer heyoka() { return peer("heyoka", "heyoka", "work_precision_peer.py", "_by_heyoka"); }
bench::Peer torch() { return peer("torch", "torch", "torch_peer.py"); }

}  // namespace kalaba::peers

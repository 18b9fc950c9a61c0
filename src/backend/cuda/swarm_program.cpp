#include "backend/cuda/swarm_program.hpp"

#include "backend/cuda/kernel_source.hpp"

namespace kalaba::cuda {
namespace {

std::string kernel(int threads, const std::string& signature, const std::string& body) {
  return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) + ") " + signature + " {\n  " +
         body + "\n}\n";
}

std::string size(const std::string& name, const std::string& bytes) {
  return "extern \"C\" __device__ long " + name + " = " + bytes + ";\n";
}

std::string block_kernels() {
  constexpr int threads = swarm_block_threads;
  return size("kalaba_agent_bytes", "SwarmInBlock<Work>::agent_bytes") +
         size("kalaba_other_bytes", "SwarmInBlock<Work>::other_bytes") +
         kernel(threads, "kalaba_swarm_start(SwarmBatch batch, double time, int project)",
                "start_swarm<Work, targets>(batch, time, project != 0);") +
         kernel(threads,
                "kalaba_swarm_advance(SwarmBatch batch, TimeGrid time, int projects, long first_step, long steps)",
                "advance_swarm<Work, targets>(batch, time, projects != 0, first_step, steps);") +
         kernel(threads, "kalaba_swarm_look(SwarmBatch batch)", "look_at_swarm<Work, targets>(batch);");
}

std::string shared_kernels() {
  constexpr int threads = shared_swarm_threads;
  return kernel(threads, "kalaba_swarm_begin(SwarmBatch batch)", "begin_chunk<Work>(batch);") +
         kernel(threads, "kalaba_swarm_pairs(SwarmBatch batch, int move)",
                "sum_pairs<Work, targets>(batch, SwarmMove(move));") +
         kernel(threads, "kalaba_swarm_advance(SwarmBatch batch, int move, double dt)",
                "drive_chunk<Work>(batch, SwarmMove(move), dt);") +
         kernel(threads, "kalaba_swarm_finish(SwarmBatch batch, int move, double time, int looking)",
                "judge_swarm<Work>(batch, SwarmMove(move), time, looking != 0);") +
         kernel(threads, "kalaba_swarm_commit(SwarmBatch batch)", "commit_chunk<Work>(batch);");
}

}  // namespace

std::string SwarmProgram::text() const {
  const std::string real = precision == Precision::single_precision ? "float" : "double";
  return law.text + "#include \"kernels/swarm_" + (a_block_each ? "small" : "large") +
         ".cuh\"\n"
         "using namespace kalaba;\n"
         "using Work = SwarmWork<" +
         law.type + ", " + real + ", " + std::to_string(dimension) +
         ">;\n"
         "constexpr int targets = " +
         std::to_string(targets) + ";\n" + size("kalaba_source_bytes", "sizeof(Work::Source)") +
         size("kalaba_totals_bytes", "sizeof(Work::Totals)") + (a_block_each ? block_kernels() : shared_kernels());
}

std::string SwarmProgram::name() const {
  return std::string("swarm in ") + (dimension == 2 ? "the plane" : "space") +
         (a_block_each ? ", a block each" : ", many blocks each");
}

std::vector<std::string> SwarmProgram::options(const std::string& architecture) const {
  std::vector<std::string> words = compiler_options(architecture);
  // Squares below 1e-38 are zero: half the instructions of a reciprocal square root.
  if (precision == Precision::single_precision) words.emplace_back("--ftz=true");
  return words;
}

SwarmProgram swarm_program(const System& system, Precision precision, bool a_block_each) {
  // With two targets per thread, a source is read once for both; in double precision, and with few agents, fewer
  // registers and more threads are better.
  const long few = a_block_each ? swarm_block_threads : 1L << 15;
  const bool two = precision == Precision::single_precision && system.info.agents > few;
  return {.law = system.device_code,
          .precision = precision,
          .dimension = static_cast<int>(system.info.coordinates.size()),
          .a_block_each = a_block_each,
          .targets = two ? 2 : 1};
}

}  // namespace kalaba::cuda

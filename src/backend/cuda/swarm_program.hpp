#pragma once

#include <string>
#include <vector>

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba::cuda {

/// All inputs of the compilation of the kernels of swarms, except the device.
struct SwarmProgram {
  DeviceCode law;
  Precision precision = Precision::double_precision;  ///< of the pairs; all other numbers are double
  int dimension = 2;
  bool a_block_each = true;  ///< one block advances one swarm during a whole call; else many blocks share a swarm
  int targets = 1;           ///< agents that a thread sums at the same time

  /// Returns the source text. With one block per swarm: kalaba_swarm_start, kalaba_swarm_advance and kalaba_swarm_look,
  /// and the shared memory of a block in bytes, kalaba_agent_bytes for each agent and kalaba_other_bytes. Otherwise one
  /// kernel per phase: kalaba_swarm_begin, _pairs, _advance, _finish and _commit. The sizes of the structs of a swarm
  /// are in kalaba_source_bytes and kalaba_totals_bytes.
  std::string text() const;
  /// "swarm in the plane, a block each"
  std::string name() const;
  /// The compiler's options for an architecture ("sm_90").
  std::vector<std::string> options(const std::string& architecture) const;
};

/// Returns the program for the swarms of a system.
SwarmProgram swarm_program(const System& system, Precision precision, bool a_block_each);

/// Largest number of agents for which one block moves a swarm, if its shared memory is sufficient.
inline constexpr long most_agents_of_a_block = 1024;
/// Largest number of threads of a block, both of one that moves a swarm and of one that shares it with others.
inline constexpr int swarm_block_threads = 256;
inline constexpr int shared_swarm_threads = 128;

}  // namespace kalaba::cuda

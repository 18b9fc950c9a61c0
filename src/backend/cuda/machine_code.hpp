#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kalaba::cuda {

/// Of a piece of machine code.
struct InstructionCounts {
  long all = 0;
  long fp64 = 0;  ///< of them, sums, products and comparisons in double precision

  friend InstructionCounts operator+(const InstructionCounts& a, const InstructionCounts& b) {
    return {a.all + b.all, a.fp64 + b.fp64};
  }
};

/// One instruction of 128 bits, as GPUs have them since Volta.
struct MachineInstruction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// The instructions of a kernel in a cubin, and of the functions within it; none where it is not there.
std::vector<MachineInstruction> kernel_code(const std::vector<char>& cubin, const std::string& kernel);

InstructionCounts count(const std::vector<MachineInstruction>& code);

/// What a thread executes at least in one turn of a kernel's time loop that computes so many divisions and roots: the
/// shortest such way around the largest loop that has arithmetic in double precision on every way around it. Inner
/// loops are left as soon as they may be. None where there is no such loop. `architecture` is that of the code
/// ("sm_90").
std::optional<InstructionCounts> least_turn(const std::vector<MachineInstruction>& code,
                                            const std::string& architecture, int divisions);

}  // namespace kalaba::cuda

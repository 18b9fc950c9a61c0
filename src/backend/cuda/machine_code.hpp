#pragma once

#include <cstdint>
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

/// A sum, a product or a comparison in double precision.
bool is_fp64(const MachineInstruction& instruction);
bool begins_division(const MachineInstruction& instruction);  ///< or a root

enum class Flow { next, branch, call, end };
/// What may come behind an instruction.
Flow flow_of(const MachineInstruction& instruction);
/// Whether nothing keeps it from being carried out.
bool is_unconditional(const MachineInstruction& instruction);
/// How many instructions a branch leads on from the one behind it, in code of an architecture ("sm_90").
long distance_of(const MachineInstruction& branch, const std::string& architecture);

}  // namespace kalaba::cuda

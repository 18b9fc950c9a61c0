#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kalaba::cuda {

/// Numbers of instructions in a piece of machine code.
struct InstructionCounts {
  long all = 0;
  long fp64 = 0;   ///< sums, products and comparisons in double precision
  long local = 0;  ///< loads and stores of local memory and through generic addresses

  friend InstructionCounts operator+(const InstructionCounts& a, const InstructionCounts& b) {
    return {a.all + b.all, a.fp64 + b.fp64, a.local + b.local};
  }
};

/// One instruction of 128 bits, the format since Volta.
struct MachineInstruction {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// Returns the instructions of a kernel in a cubin and of the functions within it; empty if the kernel does not exist.
std::vector<MachineInstruction> kernel_code(const std::vector<char>& cubin, const std::string& kernel);

InstructionCounts count(const std::vector<MachineInstruction>& code);
InstructionCounts count(const MachineInstruction& instruction);

/// Returns true for a sum, a product or a comparison in double precision.
bool is_fp64(const MachineInstruction& instruction);
/// Returns true for a load or store of local memory (spills, the stack), or through a generic address, which the GPU
/// resolves at run time.
bool is_local(const MachineInstruction& instruction);
bool begins_division(const MachineInstruction& instruction);  ///< or a root

enum class Flow { next, branch, call, end };
/// Returns how control continues after an instruction.
Flow flow_of(const MachineInstruction& instruction);
/// Returns true if the instruction has no predicate and is always executed.
bool is_unconditional(const MachineInstruction& instruction);
/// Returns the distance of a branch's target from the instruction after it, in instructions, in code of an architecture
/// ("sm_90").
long distance_of(const MachineInstruction& branch, const std::string& architecture);

}  // namespace kalaba::cuda

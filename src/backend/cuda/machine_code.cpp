#include "backend/cuda/machine_code.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kalaba::cuda {
namespace {

constexpr std::size_t instruction_bytes = 16;

/// Reads a struct from a file's bytes; returns zeros if the file ends before it.
template <class T>
T read_at(const std::vector<char>& bytes, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

// DMUL, DADD, DSETP or DFMA in any form, identified by the lowest nine bits.
bool is_fp64(const MachineInstruction& instruction) {
  const std::uint64_t operation = instruction.low & 0x1ff;
  return operation >= 0x028 && operation <= 0x02b;
}

// LD, LDL, ST or STL: the lowest nine bits.
bool is_local(const MachineInstruction& instruction) {
  const std::uint64_t operation = instruction.low & 0x1ff;
  return operation == 0x180 || operation == 0x183 || operation == 0x185 || operation == 0x187;
}

// MUFU with one of its functions RCP, RSQ, RCP64H, RSQ64H, SQRT.
bool begins_division(const MachineInstruction& instruction) {
  const std::uint64_t function = (instruction.high >> 10) & 0xf;
  return (instruction.low & 0x1ff) == 0x108 && function >= 4 && function <= 8;
}

Flow flow_of(const MachineInstruction& instruction) {
  switch (instruction.low & 0xfff) {
    case 0x947:
      return Flow::branch;  // BRA
    case 0x943:             // CALL.ABS
    case 0x944:
      return Flow::call;  // CALL.REL
    case 0x949:           // BRX
    case 0x94a:           // JMP
    case 0x94c:           // JMX
    case 0x94d:           // EXIT
    case 0x950:
      return Flow::end;  // RET
    default:
      return Flow::next;
  }
}

// True if the guard, and the second predicate that a branch may have, is the constant true predicate.
bool is_unconditional(const MachineInstruction& instruction) {
  constexpr std::uint64_t always = 7;
  return ((instruction.low >> 12) & 0xf) == always && ((instruction.high >> 23) & 0xf) == always;
}

// The distance is signed and in bytes, from bit 32 on. Since Hopper it is in units of four bytes, with its lowest eight
// bits at bit 16 and the others from bit 34 on.
long distance_of(const MachineInstruction& branch, const std::string& architecture) {
  const bool since_hopper = std::atoi(architecture.c_str() + std::strlen("sm_")) >= 90;
  const auto upper = static_cast<std::int64_t>(((branch.low >> 34) | (branch.high << 30)) << 16) >> 16;
  const auto lower = static_cast<std::int64_t>((branch.low >> 16) & 0xff);
  return 4 * (since_hopper ? upper * 256 + lower : upper) / static_cast<long>(instruction_bytes);
}

std::vector<MachineInstruction> kernel_code(const std::vector<char>& cubin, const std::string& kernel) {
  const auto file = read_at<Elf64_Ehdr>(cubin, 0);
  const auto section = [&](std::size_t i) { return read_at<Elf64_Shdr>(cubin, file.e_shoff + i * file.e_shentsize); };
  const auto names = section(file.e_shstrndx);
  std::vector<MachineInstruction> code;
  for (std::size_t i = 0; i < file.e_shnum; ++i) {
    const std::size_t name = names.sh_offset + section(i).sh_name;
    if (name >= cubin.size() || ".text." + kernel != cubin.data() + name) continue;
    const std::size_t begin = section(i).sh_offset;
    for (std::size_t at = 0; at < section(i).sh_size; at += instruction_bytes) {
      code.push_back(read_at<MachineInstruction>(cubin, begin + at));
    }
  }
  return code;
}

InstructionCounts count(const std::vector<MachineInstruction>& code) {
  InstructionCounts all;
  for (const MachineInstruction& each : code) all = all + count(each);
  return all;
}

InstructionCounts count(const MachineInstruction& instruction) {
  return {1, is_fp64(instruction) ? 1 : 0, is_local(instruction) ? 1 : 0};
}

}  // namespace kalaba::cuda

#include "swarm/swarm_checks.hpp"

#include <unistd.h>

#include <charconv>
#include <cmath>

#include "kalaba/error.hpp"

namespace kalaba::swarm {
namespace {

constexpr double bytes_a_coordinate = 260;  // per coordinate of an agent: states, stages, sums, cells, saved numbers

std::string gigabytes(double bytes) { return number_text(std::round(bytes / 1e8) / 10) + " GB"; }

}  // namespace

std::string number_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

double machine_memory() {
  return static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void check_memory(long agents, int dimension, double memory) {
  const double needed = bytes_a_coordinate * dimension * static_cast<double>(agents);
  if (needed <= memory) return;
  throw Error(ExitCode::bad_input, "structure.agents: a swarm of " + std::to_string(agents) + " needs about " +
                                       gigabytes(needed) + " of memory, and this machine has " + gigabytes(memory));
}

void check_active(double active, long agents, long member) {
  if (active >= 0 && active <= static_cast<double>(agents) && active == std::floor(active)) return;
  throw Error(ExitCode::bad_input, "parameters.active of member " + std::to_string(member) +
                                       ": expected a whole number from 0 to structure.agents = " +
                                       std::to_string(agents) + ", found " + number_text(active));
}

void check_cutoff(double cutoff, long member) {
  if (cutoff > 0) return;
  throw Error(ExitCode::bad_input, "parameters.cutoff of member " + std::to_string(member) +
                                       ": expected a positive distance, found " + number_text(cutoff));
}

}  // namespace kalaba::swarm

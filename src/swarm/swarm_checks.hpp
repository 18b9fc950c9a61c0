#pragma once

#include <string>

namespace kalaba::swarm {

/// Returns the shortest decimal that is read back as this number.
std::string number_text(double number);

/// Bytes of memory of this machine.
double machine_memory();

/// Throws Error(bad_input) if a swarm in motion, at a measured number of bytes per agent, exceeds the memory.
void check_memory(long agents, int dimension, double memory = machine_memory());

/// Throws Error(bad_input) if the member's number of active agents is not an integer from 0 to `agents`.
void check_active(double active, long agents, long member);

/// Throws Error(bad_input) if the member's law does not end at a positive distance (infinity: never).
void check_cutoff(double cutoff, long member);

}  // namespace kalaba::swarm

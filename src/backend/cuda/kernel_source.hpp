#pragma once

#include <string>
#include <vector>

#include "kalaba/options.hpp"
#include "kalaba/system.hpp"

namespace kalaba::cuda {

/// Returns the program whose kernels kalaba_start and kalaba_advance move members of a model, with `workers` threads
/// per member and the method as a constant. Its global kalaba_workspace is the shared memory per member in bytes.
std::string motion_source(const DeviceCode& model, const Options& options, int workers);

/// Returns the program whose kernel kalaba_observe writes these fields; its global
/// kalaba_workspace is that of motion_source.
std::string observation_source(const DeviceCode& model, const Options& options, int workers, FieldSet fields);

/// As observation_source, with the kernel kalaba_observe_between, for an instant between two steps.
std::string between_source(const DeviceCode& model, const Options& options, int workers, FieldSet fields);

/// Returns the program of a Pipeline (pipeline.hpp): the member's time loop with a pseudo-inverse that another program
/// computes. It has kalaba_project if the method projects after each step.
std::string pipeline_source(const DeviceCode& model, const Options& options, int workers);

/// Returns true if a step ends with a projection on the constraints.
inline bool projects(const Method& method) { return method.stabilization.kind == Stabilization::Kind::projection; }

/// Returns the compiler's options for these programs and an architecture ("sm_90").
std::vector<std::string> compiler_options(const std::string& architecture);

/// Returns true if members are integrated by one thread each: sensitivity columns, and changes by events, contacts and
/// clocks, support no tiles.
bool needs_one_thread(const Options& options);

/// Number of threads per member with which a kernel of this system is tried first: one if a member may fit into a
/// thread, else a tile.
int first_choice_of_threads(const SystemInfo& system);
/// Largest local memory, in bytes, of a thread that advances a member; above it a tile is used instead. Most of it is
/// the stack of rarely executed code (a singular position, an event), so that the size alone is a poor measure of the
/// traffic. At this size for every resident thread, a GPU reserves up to 3 % of its memory.
inline constexpr int most_local_bytes = 8192;
/// Half as many threads as constraints: in a round of Jacobi rotations, each thread rotates one pair of rows.
int tile_for(const SystemInfo& system);

/// Threads of a block; every kernel is compiled for at most these.
inline constexpr int block_threads = 128;

}  // namespace kalaba::cuda

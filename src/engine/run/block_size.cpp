#include "engine/run/block_size.hpp"

#include <algorithm>

#include "kalaba/backend/parallel.hpp"
#include "kalaba/block.hpp"

namespace kalaba {
namespace {

constexpr double enough_seconds = 5;  // for a block
constexpr long most_growth = 4;       // from one block to the next

/// Returns a number of members that occupies all threads. On the CPU their state fits its caches: every call reads and
/// writes all of it, and an adaptive integrator keeps some 100 numbers of a member.
long enough_members(const SystemInfo& system, const Options& options) {
  if (options.backend == Backend::cuda) return 1L << 22;
  constexpr double cache_bytes = 1 << 23;  // for each thread
  constexpr double least = 1 << 10;        // members for each thread
  constexpr long most = 1L << 16;
  const double each = std::max(cache_bytes / member_bytes(system, options), least);
  const double all = std::min(each * thread_count(options.threads), static_cast<double>(most));
  const long padding = padding_of(system);
  return static_cast<long>(all) / padding * padding;
}

}  // namespace

long padding_of(const SystemInfo& system) { return system.agents > 0 ? 1 : Block::alignment; }

double member_bytes(const SystemInfo& system, const Options& options) {
  const auto copies = static_cast<double>(system.copies());
  const double q = static_cast<double>(system.coordinates.size()) * copies;
  const double w = static_cast<double>(system.rates.size()) * copies;
  const double m = static_cast<double>(system.constraints.size()) * copies;
  const double warm_start = system.agents > 0 ? 0 : m * m;
  const int persistent = persistent_numbers(options.method.integrator, static_cast<int>(q), static_cast<int>(w));
  // Columns are stored for the member, with its last step and the event that stops it, and in the observation.
  const int step =
      persistent_numbers(options.method.integrator, 1, 0) - persistent_numbers(options.method.integrator, 0, 0);
  const double columns = (step > 0 ? 3.0 + step : 2.0) * static_cast<double>(system.sensitivities.size()) * (q + w) +
                         static_cast<double>(system.sensitivities.size());
  const double doubles =
      static_cast<double>(system.parameters.size()) + 2 * q + 3 * w + warm_start + 2 * m + 12 + persistent + columns;
  return 8 * doubles;
}

long block_capacity(const SystemInfo& system, const Options& options, long members) {
  if (options.block_members > 0) return std::min(options.block_members, members);
  const auto fitting = static_cast<long>(options.memory_budget / member_bytes(system, options));
  const long padding = padding_of(system);
  const long aligned = std::max(fitting / padding, 1L) * padding;
  return std::min({aligned, enough_members(system, options), members});
}

BlockSizes::BlockSizes(const SystemInfo& system, const Options& options, long capacity)
    : capacity_(capacity), padding_(padding_of(system)) {
  constexpr long grains = 4;  // per thread
  const bool is_fixed = options.backend == Backend::cuda || options.block_members > 0;
  least_ = is_fixed ? capacity : std::min(capacity, grains * padding_ * thread_count(options.threads));
  size_ = least_;
}

void BlockSizes::took(long members, double seconds) {
  const double fitting = static_cast<double>(members) * enough_seconds / std::max(seconds, 1e-9);
  const auto requested = static_cast<long>(std::min(fitting, static_cast<double>(most_growth * members)));
  size_ = std::clamp(requested / padding_ * padding_, least_, capacity_);
}

}  // namespace kalaba

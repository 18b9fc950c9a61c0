#include "swarm/pair_summation.hpp"

#include <algorithm>
#include <cmath>

#include "kalaba/backend/parallel.hpp"
#include "kalaba/error.hpp"

namespace kalaba::swarm {
namespace {

constexpr long targets_at_once = 64;
constexpr long copied_at_once = 1 << 14;
// For fewer agents, sorting into cells costs more than it saves; measured.
constexpr long fewest_for_cells = 500;
constexpr long fewest_for_multipole = 6000;

/// Finds the occupied cells among the 3^D cells around a cell and itself, ascending; returns their number.
template <int D>
int neighbours(const CellLevel<D>& cells, long cell, std::array<long, 27>& found) {
  int count = 0;
  const int all = D == 2 ? 9 : 27;
  for (int code = 0; code < all; ++code) {
    CellPlace<D> place = cells.places[cell];
    for (int d = 0, rest = code; d < D; ++d, rest /= 3) place[d] += rest % 3 - 1;
    if (const long neighbour = cells.find(place); neighbour >= 0) found[count++] = neighbour;
  }
  std::sort(found.begin(), found.begin() + count);
  return count;
}

}  // namespace

template <int D>
void check_pair_sum(const PairKernel<D>& kernel, const double* p, PairSum method, double tolerance) {
  const auto refuse = [](const std::string& why) { throw Error(ExitCode::bad_input, "solver.pair_sum: " + why); };
  const bool cut = std::isfinite(kernel.cutoff(p));
  if (method == PairSum::cells && !cut) {
    refuse("expected auto, all_pairs or multipole, for this law has no cutoff; found cells");
  }
  if (method == PairSum::multipole && cut) {
    refuse("expected auto, all_pairs or cells, for this law has a cutoff; found multipole");
  }
  if (!cut && method != PairSum::all_pairs && !multipole_accuracy<D>(tolerance)) {
    throw Error(ExitCode::bad_input,
                "solver.pair_tolerance: expected at least " + std::string(D == 2 ? "1e-8" : "2e-7") +
                    ", the best that the multipole method does " + (D == 2 ? "in the plane" : "in space") +
                    "; for less, set solver.pair_sum = \"all_pairs\"");
  }
}

template <int D>
bool PairSummation<D>::evaluate(const double* p, const Cloud<D>& agents, const PairSums<D>& sums, int threads) {
  for (int d = 0; d < D; ++d) {
    std::fill_n(sums.gradient[d], agents.size, 0.0);
    std::fill_n(sums.rate[d], agents.size, 0.0);
  }
  std::fill_n(sums.coincident, agents.size, 0.0);
  const std::optional<Plan> chosen = plan(p, agents, threads);
  if (!chosen) return false;
  if (chosen->method == PairSum::all_pairs) {
    sum_all_pairs(p, agents, sums, threads);
  } else {
    sum_sorted(*chosen, p, agents, sums, threads);
  }
  if (const double strength = kernel_.harmonic(p); strength != 0) add_harmonic(strength, agents, sums);
  return true;
}

template <int D>
std::optional<typename PairSummation<D>::Plan> PairSummation<D>::plan(const double* p, const Cloud<D>& agents,
                                                                      int threads) {
  const double cutoff = kernel_.cutoff(p);
  const bool cut = std::isfinite(cutoff);
  const bool requested = method_ != PairSum::automatic;
  if (method_ == PairSum::all_pairs || agents.size == 0 || (!cut && !far_tables_)) return Plan{};
  if (!requested && agents.size < (cut ? fewest_for_cells : fewest_for_multipole)) return Plan{};
  if (!tree_.sort(agents.x, agents.size, threads)) return std::nullopt;
  return cut ? plan_cells(cutoff, agents) : plan_multipole(agents);
}

/// Chooses the deepest level whose cells are at least as wide as the cutoff and have at least a few agents each.
template <int D>
typename PairSummation<D>::Plan PairSummation<D>::plan_cells(double cutoff, const Cloud<D>& agents) const {
  int level = 0;
  while (level < CellTree<D>::deepest && std::ldexp(tree_.width(), -level - 1) >= cutoff &&
         tree_.crowding(level).squares > 4 * static_cast<double>(agents.size)) {
    ++level;
  }
  if (level < 2 && method_ == PairSum::automatic) return {};
  return {PairSum::cells, level};
}

/// Chooses the level with the least work, in pairs of agents: pairs of touching cells against products of interacting
/// ones.
template <int D>
typename PairSummation<D>::Plan PairSummation<D>::plan_multipole(const Cloud<D>& agents) const {
  const double order = far_tables_->order();
  // Work in pairs of agents, measured: of two interacting cells, and of a cell itself.
  const double rank = (D == 2 ? 0.37 : 2.9) * order * order;
  const double exchange = 0.15 * rank * rank;
  const double carrying = std::pow(order, D) * rank;
  // A level's table, which at least one step uses. Later steps may reuse it; the choice must not depend on that.
  const double table = (D == 2 ? 150 * std::pow(order, 4.5) : 140 * std::pow(order, 7.2)) / 4;
  const auto size = static_cast<double>(agents.size);
  Plan best{method_ == PairSum::multipole ? PairSum::multipole : PairSum::all_pairs, 2};
  double least = method_ == PairSum::multipole ? HUGE_VAL : size * size;
  double above = 0;
  for (int level = 2; level <= CellTree<D>::deepest; ++level) {
    const auto [squares, cells] = tree_.crowding(level);
    // Mean over a full square or cube with n cells per axis: 3 - 2/n touch, of 6 - 8/n whose parents do.
    const double touching = std::pow(3 - std::ldexp(2, -level), D);
    const double interacting = std::pow(6 - std::ldexp(8, -level), D) - touching;
    above += static_cast<double>(cells) * (interacting * exchange + carrying) + table;
    const double work = touching * squares + above;
    if (work < least) {
      least = work;
      best = {PairSum::multipole, level};
    }
    if (squares < 4 * size) break;
  }
  return best;
}

template <int D>
void PairSummation<D>::sum_all_pairs(const double* p, const Cloud<D>& agents, const PairSums<D>& sums,
                                     int threads) const {
  parallel_for(agents.size, targets_at_once, threads,
               [&](long begin, long end) { kernel_.add(p, agents, begin, end, agents, 0, agents.size, sums); });
}

template <int D>
void PairSummation<D>::sum_sorted(const Plan& plan, const double* p, const Cloud<D>& agents, const PairSums<D>& sums,
                                  int threads) {
  sorted_x_.resize(agents.size);
  sorted_w_.resize(agents.size);
  sorted_sums_.resize(agents.size);
  const std::vector<int>& order = tree_.order();
  const PairSums<D> sorted = sorted_sums_.sums();
  parallel_for(agents.size, copied_at_once, threads, [&](long begin, long end) {
    for (int d = 0; d < D; ++d) {
      for (long i = begin; i < end; ++i) {
        sorted_x_[d][i] = agents.x[d][order[i]];
        sorted_w_[d][i] = agents.w[d][order[i]];
        sorted.gradient[d][i] = sorted.rate[d][i] = 0;
      }
    }
    std::fill(sorted.coincident + begin, sorted.coincident + end, 0.0);
  });
  const Cloud<D> cloud = cloud_of(sorted_x_, sorted_w_, agents.size);
  const CellLevel<D> cells = tree_.level(plan.level);
  add_near_pairs(kernel_, p, cells, cloud, sorted, threads);
  if (plan.method == PairSum::multipole) {
    add_far_pairs(*far_tables_, p, tree_, cells, cloud, sorted, threads);
  }
  parallel_for(agents.size, copied_at_once, threads, [&](long begin, long end) {
    for (long i = begin; i < end; ++i) {
      for (int d = 0; d < D; ++d) {
        sums.gradient[d][order[i]] = sorted.gradient[d][i];
        sums.rate[d][order[i]] = sorted.rate[d][i];
      }
      sums.coincident[order[i]] = sorted.coincident[i];
    }
  });
}

/// sum over j of (q_i - q_j) = N (q_i - mean), and so for the velocities.
template <int D>
void PairSummation<D>::add_harmonic(double strength, const Cloud<D>& agents, const PairSums<D>& sums) const {
  if (agents.size == 0) return;
  const auto size = static_cast<double>(agents.size);
  const double pull = strength * size;
  for (int d = 0; d < D; ++d) {
    const double centre = sum_of(agents.x[d], agents.size) / size;
    const double drift = sum_of(agents.w[d], agents.size) / size;
    for (long i = 0; i < agents.size; ++i) {
      sums.gradient[d][i] += pull * (agents.x[d][i] - centre);
      sums.rate[d][i] += pull * (agents.w[d][i] - drift);
    }
  }
}

template void check_pair_sum<2>(const PairKernel<2>&, const double*, PairSum, double);
template void check_pair_sum<3>(const PairKernel<3>&, const double*, PairSum, double);
template class PairSummation<2>;
template class PairSummation<3>;

template <int D>
void add_near_pairs(const PairKernel<D>& kernel, const double* p, const CellLevel<D>& cells, const Cloud<D>& agents,
                    const PairSums<D>& sums, int threads) {
  parallel_for(cells.size(), 16, threads, [&](long begin, long end) {
    std::array<long, 27> near{};
    for (long cell = begin; cell < end; ++cell) {
      const int count = neighbours(cells, cell, near);
      for (int k = 0; k < count;) {  // consecutive cells are one range of agents
        int last = k;
        while (last + 1 < count && near[last + 1] == near[last] + 1) ++last;
        kernel.add(p, agents, cells.begin[cell], cells.begin[cell + 1], agents, cells.begin[near[k]],
                   cells.begin[near[last] + 1], sums);
        k = last + 1;
      }
    }
  });
}

template void add_near_pairs<2>(const PairKernel<2>&, const double*, const CellLevel<2>&, const Cloud<2>&,
                                const PairSums<2>&, int);
template void add_near_pairs<3>(const PairKernel<3>&, const double*, const CellLevel<3>&, const Cloud<3>&,
                                const PairSums<3>&, int);

}  // namespace kalaba::swarm

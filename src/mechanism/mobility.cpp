#include "mechanism/mobility.hpp"

#include <Eigen/QR>

#include "formula/program.hpp"

namespace kalaba::mechanism {
namespace {

constexpr int most_steps = 100;
constexpr double closed = 1e-10;    ///< of the largest distance in a row, about 1
constexpr double dependent = 1e-7;  ///< share of the largest pivot below which a row counts as dependent

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

std::optional<int> mobility(const formula::Graph& graph, const formula::Terms& terms,
                            const formula::TypicalValues& start) {
  const auto nw = static_cast<Eigen::Index>(terms.force.size());
  const auto nq = static_cast<Eigen::Index>(terms.velocity.size());
  const auto holonomic = static_cast<Eigen::Index>(terms.phi.size());
  std::vector<double> q = start.coordinates;
  const std::vector<double> w(static_cast<std::size_t>(nw), 0.0);
  const double time = 0;
  const formula::Program phi(graph, terms.phi);
  const formula::Program rows(graph, terms.A.entries);
  const formula::Program moves(graph, terms.velocity_jacobian.entries);
  for (int i = 0; i < most_steps; ++i) {
    const formula::Inputs inputs{start.parameters.data(), q.data(), w.data(), nullptr, &time, 1};
    const std::vector<double> gaps = phi(inputs);
    const std::vector<double> entries = rows(inputs);
    const std::vector<double> jacobian = moves(inputs);
    const RowMajor A = Eigen::Map<const RowMajor>(entries.data(), terms.A.rows, nw);
    const Eigen::VectorXd gap = Eigen::Map<const Eigen::VectorXd>(gaps.data(), holonomic);
    if (!A.allFinite() || !gap.allFinite()) return std::nullopt;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor;
    factor.setThreshold(dependent);
    if (gap.size() == 0 || gap.lpNorm<Eigen::Infinity>() <= closed) {
      if (A.rows() == 0) return static_cast<int>(nw);
      factor.compute(A);
      return static_cast<int>(nw - factor.rank());
    }
    factor.compute(A.topRows(holonomic));
    const Eigen::VectorXd step = factor.solve(gap);
    const double size = step.lpNorm<Eigen::Infinity>();
    const Eigen::VectorXd dq =
        Eigen::Map<const RowMajor>(jacobian.data(), nq, nw) * step * (size > 0.3 ? 0.3 / size : 1);
    for (Eigen::Index k = 0; k < nq; ++k) q[static_cast<std::size_t>(k)] -= dq[k];
  }
  return std::nullopt;
}

}  // namespace kalaba::mechanism

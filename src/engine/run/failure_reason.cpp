#include "engine/run/failure_reason.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "backend/reference/rate.hpp"
#include "backend/reference/reference.hpp"
#include "engine/system/short_text.hpp"

namespace kalaba {
namespace {

using reference::Instant;
using reference::Rate;
using reference::Vector;

constexpr double vanishing = 1e-12;  ///< of the largest row of A

Vector gather(const std::vector<double>& rows, int count, long stride, long member) {
  Vector values(count);
  for (int i = 0; i < count; ++i) values[i] = rows[static_cast<std::size_t>(i * stride + member)];
  return values;
}

/// Returns the row with the largest share, or -1 if none is above 0.
int worst_row(const Vector& shares) {
  int worst = -1;
  for (int r = 0; r < shares.size(); ++r) {
    if (shares[r] > 0 && (worst < 0 || shares[r] > shares[worst])) worst = r;
  }
  return worst;
}

/// |A w' - b| of each row, as a share of its terms.
Vector residual_shares(const Rate& rate) {
  const Vector residual = rate.residual();
  Vector shares(residual.size());
  for (long r = 0; r < residual.size(); ++r) {
    const double terms = std::abs(rate.b[r]) + rate.A.row(r).cwiseAbs().dot(rate.w_dot.cwiseAbs());
    shares[r] = terms > 0 ? std::abs(residual[r]) / terms : 0;
  }
  return shares;
}

/// Distances of the rows of phi and psi from zero, in units of the state.
Vector gaps(const reference::MechanicalModel& model, const Rate& rate, const Instant& x) {
  Vector rows(model.holonomic + model.nonholonomic);
  rows << model.phi(x), model.psi(x);
  for (long r = 0; r < rows.size(); ++r) {
    const double gradient = rate.A.row(r).norm();
    rows[r] = gradient > 0 ? std::abs(rows[r]) / gradient : 0;
  }
  return rows;
}

}  // namespace

std::string failure_reason(const System& system, const Options& options, const Block& block, long member) {
  const Status status = block.status[static_cast<std::size_t>(member)];
  const bool is_told = status != Status::not_converged && status != Status::inconsistent_constraints &&
                       status != Status::singular_constraints;
  if (is_told || !system.reference || system.info.constraints.empty() || system.info.agents > 0) return "";
  Options of_reference;
  of_reference.method = options.method;
  if (of_reference.method.pseudo_inverse == PseudoInverse::cusolver) {
    of_reference.method.pseudo_inverse = PseudoInverse::svd;
  }
  const std::unique_ptr<Runner> runner = system.reference(of_reference);
  const auto& model = dynamic_cast<const reference::ReferenceRunner&>(*runner).model();
  const Instant x = {gather(block.parameters, block.parameter_count, block.stride, member),
                     block.failure_time[static_cast<std::size_t>(member)],
                     gather(block.q, block.coordinate_count, block.stride, member),
                     gather(block.w, block.rate_count, block.stride, member)};
  const Rate rate = reference::evaluate_rate(model, of_reference.method, x);
  const auto told = [&](const std::string& reason) {
    return "member " + std::to_string(block.first + member) + ": " + reason;
  };
  const auto name = [&](int row) { return "'" + system.info.constraints[static_cast<std::size_t>(row)].name + "'"; };
  if (rate.status == Status::not_converged) {
    return told("no non-ideal force agrees with the constraint forces that it changes");
  }
  if (rate.status != Status::ok || !rate.A.allFinite() || !rate.b.allFinite()) return "";
  const Vector gradients = rate.A.rowwise().norm();
  for (int r = 0; r < gradients.size(); ++r) {
    if (gradients[r] <= vanishing * gradients.maxCoeff()) {
      return told("the gradient of constraint " + name(r) + " vanishes, so that no force can hold it");
    }
  }
  if (status == Status::singular_constraints) {
    if (rate.rank == gradients.size() || !model.valid(x)) return "";
    return told(
        "the constraints depend on one another here, and less so ahead: they do not determine how the motion "
        "continues");
  }
  const int open = worst_row(gaps(model, rate, x));
  if (status == Status::inconsistent_constraints) {
    const Vector shares = residual_shares(rate);
    const int row = worst_row(shares);
    if (row >= 0 && shares[row] > options.method.consistency_tolerance) {
      return told("constraint " + name(row) + " contradicts others: its acceleration misses by " +
                  short_text(100 * shares[row], 2) + " % of its terms");
    }
    return open < 0 ? "" : told("no start on the constraints was found; farthest off is " + name(open));
  }
  return open < 0 ? "" : told("the constraints were not held to rounding; farthest off is " + name(open));
}

}  // namespace kalaba

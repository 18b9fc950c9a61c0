#pragma once

#include <Eigen/Core>
#include <vector>

#include "fit/problem.hpp"

namespace kalaba::fit {

/// Normal equations of one member, with r = (motion − measured) / sigma and its derivatives J along the free variables.
struct NormalEquations {
  Status status = Status::ok;
  double cost = 0;           ///< Σ r²
  Eigen::VectorXd gradient;  ///< Jᵀ r
  Eigen::MatrixXd normal;    ///< JᵀJ

  /// Returns true if the motion could be integrated and has derivatives.
  bool is_usable() const;
};

/// Position of a column of data in a run's frames.
struct Observed {
  Field field = Field::q;
  Field sensitivity = Field::q_sensitivity;
  std::size_t component = 0;
  std::size_t components = 0;

  std::size_t row() const { return component; }
  std::size_t row(std::size_t variable) const { return variable * components + component; }
};
std::vector<Observed> observed_columns(const SystemInfo& system, const std::vector<std::string>& columns);

/// Sums the normal equations of every member during the run, so that the memory does not depend on the number of times
/// or readings. The order of a member's sums does not depend on the blocks.
class NormalSums final : public Sink {
 public:
  /// `problem` must outlive it.
  explicit NormalSums(const Problem& problem);

  NormalEquations of(std::size_t member) const;

  void begin(const RunInfo& run) override;
  void write(const Frame& frame) override;
  void end_block(const Block& block) override;
  void finish(const Summary&) override {}

 private:
  void add(const Reading& reading, const Frame& frame);
  double* row(std::size_t i) { return sums_.data() + i * members_; }

  const Problem& problem_;
  std::vector<Observed> observed_;
  std::vector<double> weights_;    // [column]
  std::vector<std::size_t> ends_;  // [time]: of its readings
  std::size_t members_ = 0;
  std::vector<double> sums_;  // [cost, gradient, lower triangle by rows][member]
  std::vector<Status> status_;
  std::vector<double> residual_;
};

/// 1 / sigma of every column.
std::vector<double> weights_of(const Measurements& data);

}  // namespace kalaba::fit

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kalaba/run.hpp"

namespace kalaba {

/// An ensemble in memory: parameters and initial states of every member, with each variable contiguous over members.
/// The system must outlive the ensemble.
class Ensemble final : public MemberSource {
 public:
  /// `members` members, all at the system's default parameters and start. Throws Error if members < 1.
  Ensemble(const System& system, long members);

  const System& system() const { return *system_; }
  long members() const override { return members_; }

  /// Values of a parameter over the members, readable and writable. Throws Error for an unknown name.
  std::span<double> parameter(std::string_view name);
  /// Initial values of a coordinate or rate over the members; for a swarm [agent][member]. Throws Error for an unknown
  /// name.
  std::span<double> initial(std::string_view name);
  /// Sets every member's initial state to the system's default start for that member's parameters.
  void restart();
  /// Starts every member with its values of these discrete variables, given as indices among the parameters, in place
  /// of the starts that the model states.
  void give_discrete(std::vector<int> variables) { given_discrete_ = std::move(variables); }

  void fill(Block& block) const override;
  std::vector<int> given_discrete() const override { return given_discrete_; }

 private:
  /// Returns variable i, which every member has `copies` times.
  std::span<double> row(std::vector<double>& values, std::size_t i, long copies) {
    const auto count = static_cast<std::size_t>(members_ * copies);
    return {values.data() + i * count, count};
  }

  const System* system_;
  long members_;
  std::vector<int> given_discrete_;
  std::vector<double> parameters_;  ///< [parameter][member]
  std::vector<double> q_;           ///< [coordinate][agent][member]; the agent index only for swarms
  std::vector<double> w_;           ///< [rate][agent][member]
};

/// A run in memory: the saved frames of every member.
class Result {
 public:
  Summary summary;

  const std::vector<double>& times() const { return times_; }
  /// Values over the members (for the agents of a swarm: [agent][member]) of a column at a saved time: a coordinate, a
  /// rate, or a component of a requested field ("lambda_1", "force_x_dot", "energy", "violation", ...). Throws Error
  /// for an unknown name.
  std::span<const double> values(std::string_view column, std::size_t frame) const;
  const std::vector<Status>& status() const { return status_; }
  /// s, also for members that an event stopped; NaN for members that are ok.
  const std::vector<double>& failure_time() const { return failure_time_; }
  /// Number of occurrences of an event, over the members. This function and the next ones throw Error for an unknown
  /// name.
  std::span<const double> event_count(std::string_view event) const;
  /// Time of the first occurrence of an event, over the members, s; NaN if there is none.
  std::span<const double> event_time(std::string_view event) const;
  /// Time of the last occurrence of an event, over the members, s; NaN if there is none.
  std::span<const double> event_last_time(std::string_view event) const;
  /// A coordinate or rate at the first occurrence of an event, over the members. Throws Error for an unknown name.
  std::span<const double> event_state(std::string_view event, std::string_view column) const;
  /// Derivatives of that time and of that state with respect to one of the system's sensitivities, over the members.
  std::span<const double> event_time_sensitivity(std::string_view event, std::string_view along) const;
  std::span<const double> event_state_sensitivity(std::string_view event, std::string_view column,
                                                  std::string_view along) const;

 private:
  friend class ResultSink;
  struct ResultColumn {
    std::string name;
    std::size_t copies = 1;  ///< numbers per member
    std::size_t begin = 0;   ///< first row in a frame; each row is over the members
  };
  std::vector<ResultColumn> columns_;
  std::size_t rows_ = 0;  ///< rows of a frame
  std::vector<double> times_;
  std::vector<double> values_;  ///< [frame][row][member]
  std::vector<Status> status_;
  std::vector<double> failure_time_;
  std::size_t members_ = 0;
  std::span<const double> event_row(int row) const;
  int event_index(std::string_view event) const;
  int state_index(std::string_view column) const;
  int column_index(std::string_view along) const;

  std::vector<std::string> event_names_;
  std::vector<std::string> state_names_;   ///< coordinates, then rates
  std::vector<std::string> column_names_;  ///< of sensitivities
  EventRows event_rows_ = {0, 0};
  std::vector<double> events_;  ///< [row][member]
};

/// Integrates an ensemble and stores all results in memory. Throws Error for invalid options or an absent backend;
/// failures of members are reported in status() and do not throw.
Result run(const Ensemble& ensemble, const Options& options);

/// Selects at most `most` members of a source, evenly distributed, as a new ensemble.
Ensemble evenly_chosen(const System& system, const MemberSource& source, long most);

}  // namespace kalaba

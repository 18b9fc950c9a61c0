#pragma once

#include <string>
#include <vector>

#include "output/archive.hpp"
#include "output/reader.hpp"

namespace kalaba {

/// Some members of a file: every one, or 100,000 evenly chosen, without those that failed or were interrupted. Those
/// that an event stopped are at the state in which it did. Of one swarm they are its agents, which share its outcome.
class MemberSample {
 public:
  /// Both must outlive it.
  MemberSample(const Archive& archive, Reader& reader);

  const Archive& archive() const { return archive_; }
  const Contents& contents() const { return reader_.contents(); }
  long members() const { return static_cast<long>(chosen_.size()); }
  /// Chosen ones that are not in the sample because they failed or were interrupted.
  long left_out() const { return left_out_; }

  /// Whether the file has a variable of one number a member of that name; of one swarm's agents it has none.
  bool has(const std::string& variable) const;
  /// That variable's values.
  std::vector<double> values(const std::string& variable) const;
  /// Row `row` of a variable over (..., member).
  std::vector<double> values(const std::string& variable, std::size_t row) const;
  /// Columns at a saved time: [column][member].
  std::vector<std::vector<double>> values(const std::vector<std::size_t>& columns, long time) const;

 private:
  bool is_over_members(const std::string& variable) const;
  std::vector<double> every_value(const std::string& variable) const;
  std::vector<double> chosen_of(const std::vector<double>& all) const;

  const Archive& archive_;
  Reader& reader_;
  std::vector<long> chosen_;
  long left_out_ = 0;
};

}  // namespace kalaba

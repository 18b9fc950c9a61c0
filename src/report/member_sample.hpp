#pragma once

#include <string>
#include <vector>

#include "output/archive.hpp"
#include "output/reader.hpp"
#include "report/counted.hpp"

namespace kalaba {

/// Some members of a file: every one, or `most` evenly chosen. Of one swarm they are its agents, which share its
/// outcome.
class MemberSample {
 public:
  static constexpr long usual = 100'000;

  /// Both must outlive it.
  MemberSample(const Archive& archive, Reader& reader, long most = usual);

  const Archive& archive() const { return archive_; }
  const Contents& contents() const { return reader_.contents(); }
  long members() const { return static_cast<long>(chosen_.size()); }
  const std::vector<long>& chosen() const { return chosen_; }
  /// Until when the chosen member of this index counts.
  CountedUntil until(std::size_t index) const { return until_.empty() ? CountedUntil{} : until_[index]; }

  /// Whether the file has a variable of one number a member of that name; of one swarm's agents it has none.
  bool has(const std::string& variable) const;
  /// That variable's values.
  std::vector<double> values(const std::string& variable) const;
  /// Row `row` of a variable over (..., member); of three dimensions rows count [first][second].
  std::vector<double> values(const std::string& variable, std::size_t row) const;
  /// Columns at a saved time: [column][member]; NaN of members that do not count then.
  std::vector<std::vector<double>> values(const std::vector<std::size_t>& columns, long time) const;

 private:
  bool is_over_members(const std::string& variable) const;
  std::vector<double> chosen_of(const std::vector<double>& all) const;

  const Archive& archive_;
  Reader& reader_;
  std::vector<long> chosen_;
  std::vector<CountedUntil> until_;  ///< [chosen]; empty where all count throughout
};

}  // namespace kalaba

#pragma once

#include <string>
#include <vector>

#include "output/base/reader.hpp"
#include "output/netcdf/archive.hpp"
#include "report/data/outcomes.hpp"

namespace kalaba {

/// Sample of a file's members: all, or `most` evenly chosen. For one swarm they are its agents, with the swarm's
/// outcome. For the design saltelli they are complete points.
class MemberSample {
 public:
  /// Both must outlive the sample. `most`: 0 for 100,000, for the design saltelli 2,000,000.
  MemberSample(const Archive& archive, Reader& reader, long most = 0);

  const Archive& archive() const { return archive_; }
  const Contents& contents() const { return reader_.contents(); }
  long members() const { return static_cast<long>(chosen_.size()); }
  const std::vector<long>& chosen() const { return chosen_; }
  /// Drawn inputs of the design saltelli, "L" or "x at the start", in the order of its members; empty for other
  /// designs.
  const std::vector<std::string>& drawn() const { return drawn_; }
  /// Time until which the chosen member of this index counts.
  CountedUntil until(std::size_t index) const { return until_.empty() ? CountedUntil{} : until_[index]; }

  /// Returns true if the file has a variable of that name with one number per member; agents of one swarm have none.
  bool has(const std::string& variable) const;
  /// Names of the events whose times the file has for every member.
  std::vector<std::string> events() const;
  /// Values of that variable.
  std::vector<double> values(const std::string& variable) const;
  /// Row `row` of a variable over (..., member); rows of a variable with three dimensions are numbered [first][second].
  std::vector<double> values(const std::string& variable, std::size_t row) const;
  /// Columns at a saved time: [column][member]; NaN for members that do not count then.
  std::vector<std::vector<double>> values(const std::vector<std::size_t>& columns, long time) const;

 private:
  void choose(long most);
  bool is_over_members(const std::string& variable) const;
  std::vector<double> chosen_of(const std::vector<double>& all) const;

  const Archive& archive_;
  Reader& reader_;
  std::vector<std::string> drawn_;
  std::vector<long> chosen_;
  std::vector<CountedUntil> until_;  ///< [chosen]; empty if all members count at all times
};

}  // namespace kalaba

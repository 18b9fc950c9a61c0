#pragma once

#include <string>
#include <vector>

#include "output/base/reader.hpp"
#include "output/netcdf/archive.hpp"
#include "report/data/counted.hpp"

namespace kalaba {

/// Some members of a file: every one, or `most` evenly chosen. Of one swarm they are its agents, which share its
/// outcome. Of the design saltelli they are whole points of it.
class MemberSample {
 public:
  /// Both must outlive it. `most`: 0 for 100,000, of the design saltelli 2,000,000.
  MemberSample(const Archive& archive, Reader& reader, long most = 0);

  const Archive& archive() const { return archive_; }
  const Contents& contents() const { return reader_.contents(); }
  long members() const { return static_cast<long>(chosen_.size()); }
  const std::vector<long>& chosen() const { return chosen_; }
  /// Of the design saltelli what is drawn, "L" or "x at the start", in the order of its members; none of another.
  const std::vector<std::string>& drawn() const { return drawn_; }
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
  void choose(long most);
  bool is_over_members(const std::string& variable) const;
  std::vector<double> chosen_of(const std::vector<double>& all) const;

  const Archive& archive_;
  Reader& reader_;
  std::vector<std::string> drawn_;
  std::vector<long> chosen_;
  std::vector<CountedUntil> until_;  ///< [chosen]; empty where all count throughout
};

}  // namespace kalaba

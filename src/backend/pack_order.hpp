#pragma once

#include <array>
#include <vector>

#include "kalaba/backend/member_functions.hpp"
#include "kalaba/block.hpp"

namespace kalaba {

/// Order in which members of adaptive steps share packs. A pack takes as many passes of the loop as its slowest member
/// makes steps; members that made about as many steps in an earlier call share one. The bits of a member do not depend
/// on its pack.
class PackOrder {
 public:
  explicit PackOrder(int lanes) : lanes_(lanes) {}

  /// Forgets the members. `begin` and `end` then note the steps that they make in every call of `grid_steps`.
  void reset();
  void begin(const Block& block);
  void end(const Block& block, long grid_steps);

  /// Chooses the order for a call of `grid_steps` by the steps of the last call. It stays empty if the block's own
  /// order takes little more passes, or if members make too few steps to be worth copying.
  void choose(long grid_steps);
  /// Returns true if the packs consist of consecutive members.
  bool is_empty() const { return order_.empty(); }
  /// Returns the members of the lanes of a pack. Lanes beyond the last member repeat one.
  const long* members(long pack) const { return order_.data() + pack * lanes_; }

 private:
  int lanes_;
  std::vector<double> before_;
  std::vector<double> steps_;  // of each member in the last call
  long grid_steps_ = 1;        // of the last call
  std::vector<long> order_;    // [pack][lane]
};

/// Copy of the rows of one pack's members.
class PackCopy {
 public:
  using RowCounts = std::array<long, part_count>;

  PackCopy(const MemberRows& block, const RowCounts& counts, int lanes);

  const MemberRows& rows() const { return rows_; }
  /// Copies the members from the block, and back.
  void load(const long* members);
  void store(const long* members);

 private:
  template <class Copy>
  void for_each_number(const long* members, const Copy& copy);

  MemberRows block_;
  RowCounts counts_;
  int lanes_;
  std::vector<double> numbers_;
  std::vector<Status> status_;
  MemberRows rows_ = {};
};

}  // namespace kalaba

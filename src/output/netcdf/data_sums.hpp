#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kalaba {

/// Numbers of a variable that lie in one piece of a file, and their checksums: one for every `each` numbers in a row,
/// a sum of checksum_term over their places in the variable.
struct SummedNumbers {
  static constexpr std::uint64_t each = 4096;

  std::string name;           ///< of the variable
  std::uint64_t width = 8;    ///< bytes of a number
  std::uint64_t count = 0;    ///< numbers
  std::uint64_t offset = 0;   ///< of the first, bytes
  std::vector<std::uint64_t> sums;
};

/// Checksum of `count` numbers of `width` bytes, the first of which has this place in its variable.
std::uint64_t sum_of(const void* numbers, std::uint64_t width, std::uint64_t place, std::uint64_t count);

/// Keeps the checksums of a file's variables over members while their numbers are written.
///
/// What a block writes counts once the block is settled: one that is broken off is written anew, and every number of
/// the file counts once.
class DataSums {
 public:
  /// Adds a variable, by its id in the file. Of no dimension it has no numbers to sum.
  void add_variable(int id, const std::string& name, std::size_t width, const std::vector<std::size_t>& shape);
  bool has(int id) const { return index_of(id) >= 0; }

  /// Takes the numbers that are written to a box of a variable, `count` from `start` on in each dimension.
  void put(int id, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count, const void* numbers);
  /// Counts what was put since the last time.
  void settle();
  /// Forgets it.
  void drop() { unsettled_.clear(); }

  /// Finds where the variables lie in the file, which no library has open. Those that lie nowhere are left out.
  void locate(const std::string& path);
  const std::vector<SummedNumbers>& variables() const { return variables_; }

  std::string state() const;
  void restore(const std::string& state);
  /// Throws Error(file_error), naming the file as `path`, where what counted when the state was taken is not what the
  /// file holds: the first `members` along the last dimension, and what was not settled.
  void verify(int descriptor, const std::string& path, std::size_t members) const;

 private:
  /// Numbers in a row, within one sum.
  struct Run {
    std::uint64_t variable, place, count, sum;
  };
  struct Extent {
    int id;
    std::vector<std::uint64_t> shape;
  };

  long index_of(int id) const;
  void verify_rows(int descriptor, const std::string& path, std::size_t variable, std::uint64_t members) const;

  std::vector<SummedNumbers> variables_;
  std::vector<Extent> extents_;  // one a variable
  std::vector<Run> unsettled_;
};

}  // namespace kalaba

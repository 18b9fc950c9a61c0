#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "kalaba/state.hpp"

namespace kalaba {

/// Contiguous numbers of a variable in a file, and their checksums: one per `each` consecutive numbers, a sum of
/// checksum_term over their indices in the variable.
struct SummedNumbers {
  static constexpr std::uint64_t each = 4096;

  std::string name;          ///< of the variable
  std::uint64_t width = 8;   ///< bytes per number
  std::uint64_t count = 0;   ///< numbers
  std::uint64_t offset = 0;  ///< of the first number, bytes
  std::vector<std::uint64_t> sums;

  void save(StateWriter& state) const;
  static SummedNumbers restored(StateReader& state);
};

/// Calls work(place, count) for every row of a box of a variable, `count` from `start` on in each dimension: the index
/// of the row's first number in the variable, and its length.
template <class Work>
void for_each_row(const std::vector<std::uint64_t>& shape, const std::vector<std::size_t>& start,
                  const std::vector<std::size_t>& count, const Work& work) {
  const std::size_t last = shape.size() - 1;
  const std::size_t rows = std::accumulate(count.begin(), count.end() - 1, std::size_t{1}, std::multiplies());
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint64_t place = start[last];
    std::uint64_t stride = shape[last];
    for (std::size_t d = last, rest = row; d-- > 0; rest /= count[d]) {
      place += (start[d] + rest % count[d]) * stride;
      stride *= shape[d];
    }
    work(place, static_cast<std::uint64_t>(count[last]));
  }
}

/// Checksum of `count` numbers of `width` bytes; `place`: index of the first in its variable.
std::uint64_t sum_of(const void* numbers, std::uint64_t width, std::uint64_t place, std::uint64_t count);

/// Updates the checksums of a file's variables over members while their numbers are written.
///
/// The numbers of a block count once the block is settled: an interrupted block is written again, and every number of
/// the file counts once.
class DataSums {
 public:
  /// Adds a variable, by its id in the file. A variable without dimensions has no checksum.
  void add_variable(int id, const std::string& name, std::size_t width, const std::vector<std::size_t>& shape);
  bool has(int id) const { return index_of(id) >= 0; }

  /// Adds the numbers that are written to a box of a variable, `count` from `start` on in each dimension.
  void put(int id, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count, const void* numbers);
  /// Counts the numbers that were added since the last call.
  void settle();
  /// Discards them.
  void drop() { unsettled_.clear(); }

  /// Determines the variables' offsets in the file, which must not be open in a library. Variables without storage are
  /// omitted.
  void locate(const std::string& path);
  const std::vector<SummedNumbers>& variables() const { return variables_; }

  std::string state() const;
  void restore(const std::string& state);
  /// Throws Error(file_error), naming the file as `path`, if the file does not contain the numbers that counted when
  /// the state was taken: the first `members` along the last dimension, and the unsettled ones.
  void verify(int descriptor, const std::string& path, std::size_t members) const;

 private:
  /// Consecutive numbers within one checksum.
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
  std::vector<Extent> extents_;  // one per variable
  std::vector<Run> unsettled_;
};

}  // namespace kalaba

#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "kalaba/fields.hpp"

namespace kalaba {

/// Component of a field in a file: one number per member and saved time.
struct Column {
  std::string name;
  std::string unit;  ///< "" if the file has none
  Field field = Field::q;
  int component = 0;     ///< index in its field
  bool is_held = false;  ///< jumps, and is constant in between
};

/// Description of a data file, without its numbers.
struct Contents {
  std::string system;  ///< "" if the file has none
  std::string device;  ///< likewise
  long members = 0;
  long first_member = 0;      ///< number of the first one, in the table of a part of an ensemble
  bool agents = false;        ///< the members are the agents of one swarm
  std::string unfinished;     ///< reason why members are missing, see finished.hpp; "": none
  bool swarms = false;        ///< the members are swarms, without the columns of their agents
  std::vector<double> times;  ///< saved times, s
  std::vector<Column> columns;
  /// Coordinates and rates of the system, whether or not the file has their numbers; empty if unknown.
  std::vector<std::string> coordinates;
  std::vector<std::string> rates;

  /// Index of the column of that name, if the file has it.
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = std::ranges::find(columns, name, &Column::name);
    return found == columns.end() ? std::nullopt : std::optional<std::size_t>(found - columns.begin());
  }
};

/// Selection of the numbers to read; every list ascending.
struct Selection {
  std::vector<std::size_t> columns;  ///< indices into Contents::columns
  std::vector<long> times;           ///< indices into Contents::times
  std::vector<long> members;
};

/// Returns `count` consecutive numbers from `first` on, for a selection.
inline std::vector<long> numbers_from(long first, long count) {
  std::vector<long> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Reader of a data file. Throws Error(file_error) naming the file.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const Contents& contents() const = 0;
  /// Returns one vector per selected column, [time][member] as selected; NaN if a member did not reach a time.
  virtual std::vector<std::vector<double>> read(const Selection& selection) = 0;
};

/// Opens a file with the reader of its ending. Throws Error for other endings, and if the file does not exist or was
/// not written by Kalaba.
std::unique_ptr<Reader> open_reader(const std::string& path);

}  // namespace kalaba

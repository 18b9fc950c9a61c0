#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kalaba/fields.hpp"

namespace kalaba {

/// One number a member and saved time, as a file holds it: a component of a field.
struct Column {
  std::string name;
  std::string unit;  ///< "" where the file does not tell
  Field field = Field::q;
  int component = 0;  ///< of its field
};

/// What a data file holds, without the numbers.
struct Contents {
  std::string system;  ///< "" where the file does not tell
  std::string device;  ///< likewise
  long members = 0;
  bool agents = false;        ///< the members are the agents of one swarm
  std::string unfinished;     ///< "" or why members are missing, see finished.hpp
  bool swarms = false;        ///< the members are swarms: what is their agents' is left out
  std::vector<double> times;  ///< saved times, s
  std::vector<Column> columns;
};

/// Which numbers to read; every list ascending.
struct Selection {
  std::vector<std::size_t> columns;  ///< into Contents::columns
  std::vector<long> times;           ///< into Contents::times
  std::vector<long> members;
};

/// A data file, read back. Errors are Error(file_error) naming the file.
class Reader {
 public:
  virtual ~Reader() = default;
  virtual const Contents& contents() const = 0;
  /// One vector a selected column, [time][member] as selected; NaN where a member did not reach a time.
  virtual std::vector<std::vector<double>> read(const Selection& selection) = 0;
};

/// A reader by the file's ending. Throws Error on any other ending, and on a file that is absent or not one of ours.
std::unique_ptr<Reader> open_reader(const std::string& path);

}  // namespace kalaba

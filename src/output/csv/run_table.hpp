#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "output/durable/plain_file.hpp"

namespace kalaba {

/// Table beside the trajectories of a run, read row by row. Throws Error(file_error) naming file, line and column if it
/// cannot be read, its checksum does not match, or a row does not have a cell for every column.
class RunTable {
 public:
  /// `first`: names with which its header begins.
  RunTable(const std::string& path, const std::vector<std::string>& first);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Index of a column; the number of columns if there is none of that name.
  std::size_t find(const std::string& name) const;

  /// Reads the next row; returns false if there is none.
  bool next();
  std::string_view cell(std::size_t column) const { return cells_[column]; }
  double number(std::size_t column) const;
  /// Reads the next row, which must be that of this member. Throws if there is none.
  void next_of(long member);
  /// Throws if there is another row.
  void require_end();
  /// Throws Error(file_error) for the current row.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  std::string path_;
  MappedFile file_;
  std::string_view rest_;
  std::vector<std::string> names_;
  std::vector<std::string_view> cells_;
  long line_ = 1;
};

}  // namespace kalaba

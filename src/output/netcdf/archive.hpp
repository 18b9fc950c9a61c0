#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kalaba/system.hpp"
#include "output/base/inventory.hpp"

namespace kalaba {

class NetcdfFile;

/// Every variable of a netCDF output, as it lies in the file. Errors are Error(file_error) naming the file.
class Archive {
 public:
  /// Throws where the file is absent, no netCDF, or not one of Kalaba's; Error(bad_input) where its name ends in
  /// something else.
  enum class Unfinished { refused, shown };
  /// An unfinished file is refused, unless its reader shows that it is one: see `unfinished`.
  explicit Archive(const std::string& path, Unfinished unfinished = Unfinished::refused);
  ~Archive();
  Archive(Archive&&) noexcept;

  const std::string& path() const { return path_; }
  /// Why the file is not finished, so that what its variables hold is not to be shown; "" where it is.
  const std::string& unfinished() const { return unfinished_; }
  const Inventory& inventory() const { return inventory_; }
  /// Numbers of a variable that is no text: of its size in each dimension, `count` from `start` on, the last fastest.
  std::vector<double> numbers(const std::string& variable, const std::vector<std::size_t>& start,
                              const std::vector<std::size_t>& count) const;
  /// All of them.
  std::vector<double> numbers(const FileVariable& variable) const {
    return numbers(variable.name, std::vector<std::size_t>(variable.shape.size(), 0), variable.shape);
  }
  /// All of a variable that is text.
  std::vector<std::string> texts(const std::string& variable) const;
  /// Verifies every checksum of the file; returns how many bytes these are of, 0 where it has none. Throws where one is
  /// not that of its bytes.
  std::uint64_t verify() const;
  /// As much of the system as the file's labels tell: names and units of coordinates, rates, constraints, invariants,
  /// the number of agents, and the parameters under the names of their variables.
  SystemInfo labels() const;

 private:
  std::string path_;
  std::string unfinished_;
  std::unique_ptr<NetcdfFile> file_;
  Inventory inventory_;
};

}  // namespace kalaba

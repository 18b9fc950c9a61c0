#pragma once

#include <string>
#include <vector>

#include "kalaba/core/base/matrix.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// One table [[agents]], from which a constraint is constructed.
class AgentTable {
 public:
  /// Reads `which`. Throws Error if it names no agents from 0 to agents - 1, for a swarm in `dimension` dimensions.
  AgentTable(const Node& table, long agents, int dimension);

  const std::vector<long>& agents() const { return which_; }  ///< ascending, without duplicates
  bool has(const std::string& name) const;
  /// Value of a key that the table has.
  Node node(const std::string& name) const;
  double number(const std::string& name) const;  ///< throws if the key is missing
  /// Vector of D numbers, m; `otherwise` if the key is missing.
  template <int D>
  Vec<double, D> vector(const std::string& name, const Vec<double, D>& otherwise) const {
    if (!has(name)) return otherwise;
    const std::vector<double> numbers = numbers_of(name);
    Vec<double, D> found;
    for (int d = 0; d < D; ++d) found[d] = numbers[static_cast<std::size_t>(d)];
    return found;
  }
  /// Unit vector of D numbers; `otherwise` if the key is missing.
  template <int D>
  Vec<double, D> direction(const std::string& name, const Vec<double, D>& otherwise) const {
    Vec<double, D> found = vector<D>(name, otherwise);
    const double length = length_of(name, found.data, D);
    for (int d = 0; d < D; ++d) found[d] /= length;
    return found;
  }
  [[noreturn]] void missing(const std::string& name, const std::string& what) const;

  /// Fails for a key that is not in `keys`. `of` describes in the message the constraint that has these keys.
  void refuse_other_keys(const std::vector<std::string>& keys, const std::string& of) const;
  /// Sets the TOML that is shown for a key in place of the text in the document.
  void shows(const std::string& name, const std::string& toml) { shown_ = {name, toml}; }
  std::string to_toml() const;

 private:
  std::vector<double> numbers_of(const std::string& name) const;  ///< one per axis
  double length_of(const std::string& name, const double* numbers, int count) const;

  Node table_;
  std::vector<Node> entries_;
  std::size_t dimension_;
  std::vector<long> which_;
  std::pair<std::string, std::string> shown_;
};

}  // namespace kalaba

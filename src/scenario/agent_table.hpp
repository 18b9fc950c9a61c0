#pragma once

#include <string>
#include <vector>

#include "kalaba/core/matrix.hpp"
#include "scenario/document/document.hpp"

namespace kalaba {

/// A table of [[agents]] on its way into a constraint.
class AgentTable {
 public:
  /// Reads `which`. Throws Error where it names no agents from 0 to agents - 1, in a swarm of so many dimensions.
  AgentTable(const Node& table, long agents, int dimension);

  const std::vector<long>& agents() const { return which_; }  ///< ascending, each once
  bool has(const std::string& name) const;
  /// Of a key that it has.
  Node node(const std::string& name) const;
  double number(const std::string& name) const;  ///< throws where it has none
  /// A vector of D numbers, m; `otherwise` where it is not given.
  template <int D>
  Vec<double, D> vector(const std::string& name, const Vec<double, D>& otherwise) const {
    if (!has(name)) return otherwise;
    const std::vector<double> numbers = numbers_of(name);
    Vec<double, D> found;
    for (int d = 0; d < D; ++d) found[d] = numbers[static_cast<std::size_t>(d)];
    return found;
  }
  /// The same, of length 1.
  template <int D>
  Vec<double, D> direction(const std::string& name, const Vec<double, D>& otherwise) const {
    Vec<double, D> found = vector<D>(name, otherwise);
    const double length = length_of(name, found.data, D);
    for (int d = 0; d < D; ++d) found[d] /= length;
    return found;
  }
  [[noreturn]] void missing(const std::string& name, const std::string& what) const;

  /// `of` is what has these keys alone, in words.
  void refuse_other_keys(const std::vector<std::string>& keys, const std::string& of) const;
  /// A key's value as TOML, where it is to be shown otherwise than written.
  void shows(const std::string& name, const std::string& toml) { shown_ = {name, toml}; }
  std::string to_toml() const;

 private:
  std::vector<double> numbers_of(const std::string& name) const;  ///< one an axis
  double length_of(const std::string& name, const double* numbers, int count) const;

  Node table_;
  std::vector<Node> entries_;
  std::size_t dimension_;
  std::vector<long> which_;
  std::pair<std::string, std::string> shown_;
};

}  // namespace kalaba

#pragma once

#include <map>
#include <vector>

#include "formula/graph/graph.hpp"

namespace kalaba::formula {

/// Writes expressions anew so that in every product what depends on parameters alone stands together, to be computed
/// once a member: (q (1/m)) m becomes q, m (w/m)^2 becomes (1/m) w^2, c x + c y becomes c (x + y). As numbers these
/// differ by rounding.
class FactorGatherer {
 public:
  explicit FactorGatherer(Graph& graph) : g_(graph) {}

  Id gathered(Id id);
  std::vector<Id> gathered(const std::vector<Id>& ids);

 private:
  /// number * (product of factor^exponent) * of: the factors are of parameters alone, `of` has none.
  struct Product {
    double number = 1;
    std::map<Id, int> factors;
    Id of;
  };

  const Product& product(Id id);
  Product find(Id id);
  Product of_parameters(Id id);
  Product sum(const Node& node);
  Product times(const Product& a, const Product& b, int sign);
  Product raised(const Product& base, int exponent);
  Product plain(Id of) const { return {1, {}, of}; }
  Id written(const Product& product);
  bool is_of_parameters(Id id);

  Graph& g_;
  std::map<Id, Product> known_;
  std::map<Id, bool> of_parameters_;
};

}  // namespace kalaba::formula

#pragma once

#include <map>
#include <vector>

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// Named expressions of [model.let]; each is constructed at its first use.
class Definitions {
 public:
  /// Reads the table, and adds its names to the draft. Throws Error.
  explicit Definitions(Draft& draft);
  Definitions(const Definitions&) = delete;
  Definitions& operator=(const Definitions&) = delete;

  /// Constructs the expressions that are never used, so that their errors are reported too.
  void finish();

 private:
  struct Definition {
    Written written;
    Key key;
    long members = 0;
    std::map<long, formula::Value> values;
  };
  struct Active {
    int definition;
    long member;
    formula::Span at;  ///< place of the use for which it is being constructed
  };

  void add(const Node& node);
  formula::Value value(int definition, long member, formula::Span at);
  formula::Value make(int definition, long member);
  [[noreturn]] void fail_circle(std::size_t begin) const;
  std::string name(const Active& active) const;

  Draft& draft_;
  std::vector<Definition> definitions_;
  std::vector<Active> active_;
};

}  // namespace kalaba::text_model

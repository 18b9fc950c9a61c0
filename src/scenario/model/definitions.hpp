#pragma once

#include <map>
#include <vector>

#include "scenario/model/draft.hpp"

namespace kalaba::text_model {

/// The named expressions of [model.let], each made where it is first used.
class Definitions {
 public:
  /// Reads the table, and makes the draft's names find what is in it. Throws Error.
  explicit Definitions(Draft& draft);
  Definitions(const Definitions&) = delete;
  Definitions& operator=(const Definitions&) = delete;

  /// Makes what nobody used, so that it is checked too.
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
    formula::Span at;  ///< what it is being made for now
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

#include <algorithm>

#include "formula/graph/functions.hpp"
#include "scenario/model/declarations.hpp"

namespace kalaba::text_model {
namespace {

using formula::Sort;

constexpr int largest_count = 1'000'000;

}  // namespace

void read_structure(Draft& draft, const AskedStructure& asked) {
  const auto table = draft.section("structure");
  if (!table) return;
  for (const Node& node : table->entries()) {
    const Key key = read_key(node);
    if (key.is_family() || key.index || formula::is_reserved(key.name)) node.fail("expected the name of a count");
    long least = 1;
    long most = largest_count;
    const Node* value = &node;
    std::optional<Node> stated;
    if (node.is_table()) {
      refuse_other_keys(node, {"default", "from", "to", "meaning"});
      if (const auto from = entry_of(node, "from")) least = from->integer(1, largest_count);
      if (const auto to = entry_of(node, "to")) most = to->integer(least, largest_count);
      stated = entry_of(node, "default");
      if (!stated) node.fail("default is missing; add default = 4");
      value = &*stated;
    }
    const long count = value->integer(least, most);
    const auto other = asked(key.name);
    const long chosen = other ? other->integer(least, most) : count;
    draft.is_default_structure = draft.is_default_structure && chosen == count;
    draft.names.add(key.name, {.sort = Sort::count, .first = static_cast<int>(chosen)});
    draft.statement.info.structure[key.name] = static_cast<int>(chosen);
  }
}

}  // namespace kalaba::text_model

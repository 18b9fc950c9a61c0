#include "backend/compiled/linked_models.hpp"

#include <map>

#include "backend/pack_mathematics.hpp"

namespace kalaba {
namespace {

using Entry = void (*)(void* functions, const void* mathematics);

/// Filled before main by the linked sources; read-only afterwards.
std::map<std::string, Entry>& entries() {
  static std::map<std::string, Entry> by_key;
  return by_key;
}

}  // namespace

std::optional<MemberFunctions> linked_model(const std::string& key, Precision precision) {
  const auto found = entries().find(key);
  if (found == entries().end()) return std::nullopt;
  const PackLevel& level = pack_level();
  MemberFunctions functions = {};
  if (precision == Precision::single_precision) {
    found->second(&functions, level.single_mathematics);
  } else {
    found->second(&functions, level.double_mathematics);
  }
  return functions;
}

}  // namespace kalaba

extern "C" int kalaba_link_model(const char* key, void (*entry)(void* functions, const void* mathematics)) {
  kalaba::entries()[key] = entry;
  return 0;
}

#include "kalaba/options.hpp"

namespace kalaba {

std::string core_pseudo_inverses() {
  std::string text;
  std::string last;
  for (const PseudoInverseFacts& each : pseudo_inverses) {
    if (each.type == nullptr) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = "\"" + std::string(each.name) + "\"";
  }
  return text + " or " + last;
}

}  // namespace kalaba

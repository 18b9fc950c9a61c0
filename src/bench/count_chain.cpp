#include "bench/count_step.hpp"
#include "kalaba/systems/chain.hpp"

namespace kalaba::bench {

std::optional<Operations> count_chain(int links, const Method& method) {
  switch (links) {
    case 4:
      return count_step<Chain<4>>(method);
    case 8:
      return count_step<Chain<8>>(method);
    case 16:
      return count_step<Chain<16>>(method);
    default:
      return std::nullopt;
  }
}

}  // namespace kalaba::bench

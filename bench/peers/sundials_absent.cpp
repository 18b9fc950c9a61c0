#include "peers/peers.hpp"

namespace kalaba::peers {

bench::Peer sundials() {
  return {"sundials", "not installed: SUNDIALS with ARKODE (Debian: libsundials-dev)", nullptr};
}

}  // namespace kalaba::peers

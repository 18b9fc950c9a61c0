#pragma once

#include "kalaba/ensemble.hpp"

namespace kalaba::events {

const System& projectiles();
const System& beads();
const System& sliders();

/// Beads with `count` speeds from 0.5 on.
Ensemble turning_beads(long count);
double speed(std::size_t member);

}  // namespace kalaba::events

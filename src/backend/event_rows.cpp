#include "kalaba/backend/event_rows.hpp"

namespace kalaba {

template void watch_values(const Watch&, const Pack<double>*, const Seen<Pack<double>>&, Pack<double>*);
template void record_event(const Solo&, const EventRows&, int, const Pack<double>::Mask&, const Seen<Pack<double>>&,
                           const PackRows<Pack<double>>&);
template void watch_step(const Solo&, const Watch&, const Pack<double>*, const Pack<double>::Mask&, const Pack<double>*,
                         const Pack<double>*, const Pack<double>&, const AnyStep<Pack<double>>&);
template void watch_values(const Watch&, const Pack<float>*, const Seen<Pack<float>>&, Pack<float>*);
template void record_event(const Solo&, const EventRows&, int, const Pack<float>::Mask&, const Seen<Pack<float>>&,
                           const PackRows<Pack<float>>&);
template void watch_step(const Solo&, const Watch&, const Pack<float>*, const Pack<float>::Mask&, const Pack<float>*,
                         const Pack<float>*, const Pack<float>&, const AnyStep<Pack<float>>&);

}  // namespace kalaba

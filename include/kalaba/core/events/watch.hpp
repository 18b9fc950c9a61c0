#pragma once

#include "kalaba/core/base/team.hpp"
#include "kalaba/core/events/change.hpp"
#include "kalaba/core/events/expression_value.hpp"
#include "kalaba/core/events/gap_search.hpp"
#include "kalaba/core/events/operand_zeros.hpp"
#include "kalaba/core/events/part_ends.hpp"
#include "kalaba/core/events/resolution.hpp"
#include "kalaba/core/events/zero_search.hpp"

namespace kalaba {

/// Values of the contacts: the gap of each, with its slack, and the rate of the gap; and the value of its event.
template <class X>
KALABA_NOINLINE void contact_values(const Watch& watch, const X* p, const StateView<X>& state, X* values) {
  for (int i = 0; i < watch.contact_count; ++i) {
    const WatchedContact& contact = watch.contacts[i];
    const X slack = p[contact.slack];
    const X gap = state.observed[contact.gap];
    const X rate = state.observed[contact.gap_rate];
    const X open = max_of(gap, select(X(0) < rate, X(1e-30), X(-1e30))) + slack;
    values[contact.event] = select(X(0.5) < p[contact.mode], state.observed[contact.force], open);
    values[watch.gap(i)] = gap + slack;
    values[watch.gap_rate(i)] = rate;
  }
}

/// Values of the expressions of all events, and those of the contacts (Watch::values). Independent of the model.
template <class X>
KALABA_NOINLINE void watch_values(const Watch& watch, const X* p, const StateView<X>& state, X* values,
                                  const Leaving<X>* leaving = nullptr) {
  KALABA_UNROLL
  for (int event = 0; event < watch.count; ++event) {
    if (watch.events[event].contact < 0) values[event] = value_of(watch.events[event].expression, p, state);
  }
  if (watch.has_contacts()) contact_values(watch, p, state, values);
  if (leaving != nullptr) leaving->correct(watch, state, values, false);
}

/// Values of the continuous expressions of all events and of their operands, and those of the contacts
/// (Watch::samples).
template <class X>
KALABA_NOINLINE void watch_margins(const Watch& watch, const X* p, const StateView<X>& state, X* margins,
                                   const Leaving<X>* leaving = nullptr) {
  KALABA_UNROLL
  for (int event = 0; event < watch.count; ++event) {
    if (watch.events[event].contact < 0) margins[event] = value_of(watch.events[event].continuous(), p, state);
  }
  for (int i = 0; i < watch.operand_count; ++i) margins[watch.operand(i)] = operand_value(watch, i, p, state);
  if (watch.has_contacts()) contact_values(watch, p, state, margins);
  if (leaving != nullptr) leaving->correct(watch, state, margins, true);
}

/// Records an event in the lanes `counts`: its count, the first and last time, and the state at the first. `rows` reads
/// and writes rows of the member's numbers (EventRows); without storage nothing is recorded.
template <class X, class Team, class Rows>
KALABA_NOINLINE void record_event(const Team& team, const EventRows& at, int event, const MaskOf<X>& counts,
                                  const StateView<X>& state, const Rows& rows) {
  if (!rows.keeps()) return;
  const X count = rows.get(at.count(event));
  const auto first = both(counts, count == X(0));
  team.single([&]() KALABA_LAMBDA {
    const auto put = [&](int row, const MaskOf<X>& where, const X& value)
                         KALABA_LAMBDA { rows.put(row, select(where, value, rows.get(row))); };
    put(at.count(event), counts, count + X(1));
    put(at.first(event), first, state.t);
    put(at.last(event), counts, state.t);
    for (int i = 0; i < at.coordinates; ++i) put(at.q(event) + i, first, state.q[i]);
    for (int i = 0; i < at.rates; ++i) put(at.w(event) + i, first, state.w[i]);
  });
}

/// A step with the type erased, so that event detection is compiled once for all models.
template <class X>
struct AnyStep {
  const void* step;
  int part_count;
  StateView<X> (*look_at)(const void* step, const X& part);
  StateView<X> (*glance_at)(const void* step, const X& part);
  void (*record_it)(const void* step, int event, const MaskOf<X>& counts, const StateView<X>& state);
  X step_length;
  StateView<X> (*glance_at_gaps)(const void* step, const X& part);
  X (*zero_of)(const void* step, int contact, const X& part);
  void (*shorten_it)(const void* step, const MaskOf<X>& counts, const StateView<X>& state);
  void (*join_it)(const void* step, int event, const MaskOf<X>& counts);
  void (*wait_for)(const void* step, int event, const MaskOf<X>& counts);

  template <class Step>
  KALABA_FN static AnyStep of(const Step& step) {
    return {&step,
            step.parts(),
            [](const void* self, const X& part) { return static_cast<const Step*>(self)->look(part); },
            [](const void* self, const X& part) { return static_cast<const Step*>(self)->glance(part); },
            [](const void* self, int event, const MaskOf<X>& counts, const StateView<X>& state) {
              static_cast<const Step*>(self)->record(event, counts, state);
            },
            step.length(),
            [](const void* self, const X& part) { return static_cast<const Step*>(self)->glance_gaps(part); },
            [](const void* self, int contact, const X& part) {
              return static_cast<const Step*>(self)->zero_gap(contact, part);
            },
            [](const void* self, const MaskOf<X>& counts, const StateView<X>& state) {
              static_cast<const Step*>(self)->shorten(counts, state);
            },
            [](const void* self, int event, const MaskOf<X>& counts) {
              static_cast<const Step*>(self)->join(event, counts);
            },
            [](const void* self, int event, const MaskOf<X>& counts) {
              static_cast<const Step*>(self)->wait(event, counts);
            }};
  }
  KALABA_FN int parts() const { return part_count; }
  KALABA_FN StateView<X> look(const X& part) const { return look_at(step, part); }
  KALABA_FN StateView<X> glance(const X& part) const { return glance_at(step, part); }
  KALABA_FN void record(int event, const MaskOf<X>& counts, const StateView<X>& state) const {
    record_it(step, event, counts, state);
  }
  KALABA_FN X length() const { return step_length; }
  KALABA_FN StateView<X> glance_gaps(const X& part) const { return glance_at_gaps(step, part); }
  KALABA_FN X zero_gap(int contact, const X& part) const { return zero_of(step, contact, part); }
  KALABA_FN void shorten(const MaskOf<X>& counts, const StateView<X>& state) const { shorten_it(step, counts, state); }
  KALABA_FN void join(int event, const MaskOf<X>& counts) const { join_it(step, event, counts); }
  KALABA_FN void wait(int event, const MaskOf<X>& counts) const { wait_for(step, event, counts); }
};

namespace detail {

/// Place of the zero of a value between the fractions `from` and `to` of the step, in the lanes `moved`; 2 if it has
/// none, or a pole. The value is that of the event; in the lanes `by_gap`, the gap of its contact. `samples`: of all
/// values in the step.
template <class X, class Team, class Step>
KALABA_FN X zero_between(const Team& team, const Watch& watch, int event, const X* p, const MaskOf<X>& moved,
                         const X& from, const X& to, const X& at_from, const X& at_to, const PartEnds<X>* samples,
                         const X& tolerance, const Step& step, const Leaving<X>* leaving,
                         const MaskOf<X>& by_gap = X(1) < X(0)) {
  const int contact = watch.has_contacts() ? watch.events[event].contact : -1;
  const int gap = contact < 0 ? event : watch.gap(contact);
  const X change = at_to - at_from;
  const MaskOf<X> signs = both(moved, crosses(watch.events[event].direction, at_from, at_to));
  const MaskOf<X> crossing = both(signs, is_finite(change));
  if (!team.any(crossing)) return X(2);
  const X sign = select(at_from < X(0), X(1), X(-1));
  Bracket<X> bracket;
  bracket.from = from;
  bracket.to = to;
  bracket.radius = to - from;
  bracket.below = sign * at_from;
  bracket.above = sign * at_to;
  const auto value = [&](const X& place) KALABA_LAMBDA {
    X values[Watch::most_values];
    watch_values(watch, p, step.look(place), values, leaving);
    return sign * select(by_gap, values[gap], values[event]);
  };
  narrow(team, crossing, tolerance, value, bracket);
  MaskOf<X> is_pole = both(crossing, !(bracket.above - bracket.below <= abs(change)));
  if (team.any(is_pole)) {  // or both are rounding errors of the value, or it is near zero at both ends
    X rounding = rounding_of(watch.events[event].expression, p, step.glance(X(1)));
    if constexpr (Watch::makes_changes) {
      if (contact >= 0) rounding = select(by_gap, step.zero_gap(contact, X(1)), rounding);
    }
    const X range = select(by_gap, range_of(samples[gap], step.parts()), range_of(samples[event], step.parts()));
    const X most = select(both(is_finite(range), abs(change) < range), range, abs(change));
    is_pole = both(is_pole, !(bracket.above - bracket.below <= most + rounding));
  }
  return select(both(crossing, !is_pole), bracket.to, X(2));
}

/// Value of the continuous expression of an event whose expression has the given value.
template <class X>
KALABA_FN X margin_of(const WatchedEvent& event, const X* p, const StateView<X>& state, const X& value) {
  return event.margin.size > 0 ? value_of(event.margin, p, state) : value;
}

/// Moves a place in a step in the lanes `zero`, in which the value there is zero, to the nearest of some places up to
/// the distance `width` at which rounding does not hide the value: it shows the sign on that side. Returns the lanes
/// that were moved.
template <class X, class Team, class Step>
KALABA_NOINLINE MaskOf<X> leave_zero(const Team& team, const Watch& watch, int event, const X* p, const MaskOf<X>& zero,
                                     const X& width, const Step& step, const Leaving<X>* leaving, ValueAt<X>& at) {
  constexpr int looks = 4;
  MaskOf<X> open = zero;
  MaskOf<X> moved = X(1) < X(0);
  const X begin = at.place;
  for (int look = 0; look < looks && team.any(open); ++look) {
    const double share = look == 0 ? 0x1p-24 : look == 1 ? 0x1p-16 : look == 2 ? 0x1p-8 : 0x1p-3;
    const X place = fma(X(share), width, begin);
    const StateView<X> state = step.look(select(open, place, X(1)));
    X values[Watch::most_values];
    watch_values(watch, p, state, values, leaving);
    const MaskOf<X> shows = both(open, rounding_of(watch.events[event].expression, p, state) < abs(values[event]));
    at = ValueAt<X>::choose(shows, {place, values[event]}, at);
    moved = either(moved, shows);
    open = both(open, !shows);
  }
  return moved;
}

/// Calls found(place) for the zeros of an event in a step, in ascending order, with 2 in lanes without a zero in that
/// interval. In the lanes `many`, zeros are searched between the ends of the step's parts, and between these and places
/// inside a part where the sign differs from both ends: beside the zeros of operands (OperandZeros), or the only one
/// that a minimum shows (Dip). A value that is zero at the end of a part has the signs of the places beside
/// (leave_zero). `left`: place up to which the value is hidden by rounding and counts as `earlier`. In the lanes
/// `many`, the samples of operands become exact.
template <class X, class Team, class Step, class Found>
KALABA_FN void each_zero(const Team& team, const Watch& watch, int event, const X* p, const MaskOf<X>& moved,
                         const MaskOf<X>& many, PartEnds<X>* samples, const X& earlier, const X& later, const X& left,
                         const X& tolerance, const Step& step, const Leaving<X>* leaving, const Found& found) {
  const bool divided = team.any(many);
  const bool is_condition = watch.events[event].margin.size > 0;
  const int parts = divided ? step.parts() : 1;
  PartEnds<X> values;
  PartEnds<X> margins;
  values[0] = earlier;
  values[parts] = later;
  if (divided) {
    margins[0] = samples[event][0];
    margins[parts] = samples[event][parts];
    for (int i = 1; i < parts; ++i) {
      const X place = X(i) * X(1.0 / parts);
      const StateView<X> state = step.look(select(many, place, X(1)));
      X all[Watch::most_values];
      watch_values(watch, p, state, all, leaving);
      const MaskOf<X> is_hidden = place < left;
      values[i] = select(is_hidden, earlier, all[event]);
      margins[i] = select(is_hidden, margins[0], margin_of(watch.events[event], p, state, all[event]));
      sample_operands(watch, event, p, state, many, i, samples);
    }
  }
  const auto look = [&](const X& place) KALABA_LAMBDA {
    const StateView<X> state = step.look(place);
    X all[Watch::most_values];
    watch_values(watch, p, state, all, leaving);
    return ValueAndMargin<X>{all[event], margin_of(watch.events[event], p, state, all[event])};
  };
  for (int i = 0; i < parts; ++i) {
    const X width(1.0 / parts);
    const ValueAt<X> begin = {max_of(select(many, X(i) * width, X(0)), left), select(many, values[i], earlier)};
    const ValueAt<X> end = {max_of(select(many, X(i + 1) * width, X(1)), begin.place),
                            select(many, values[i + 1], later)};
    ValueAt<X> from = begin;
    ValueAt<X> to = end;
    ValueAt<X> turn = end;
    MaskOf<X> leaves = X(1) < X(0);
    MaskOf<X> turns = leaves;
    MaskOf<X> returns = leaves;
    OperandZeros<X> zeros;
    if (divided) {
      const MaskOf<X> open = both(moved, many);
      const MaskOf<X> ends = both(open, margins[i + 1] == X(0));
      // leave_zeros has examined the begin of the step, for values that are no conditions.
      MaskOf<X> begins = both(open, margins[i] == X(0));
      if (i == 0 && !is_condition) begins = X(1) < X(0);
      if (team.any(either(begins, ends))) {
        const PartRange<X> range = PartRange<X>::of(margins, parts, i);
        const MaskOf<X> varies = range.least < range.most;  // false where the value stays zero
        leaves = leave_zero(team, watch, event, p, both(begins, varies), width, step, leaving, from);
        returns = leave_zero(team, watch, event, p, both(ends, varies), -width, step, leaving, to);
      }
      if (watch.has_operands(event)) {
        zeros.find(team, watch, event, p, open, samples, i, from.place, to.place, tolerance, step);
      } else {
        Dip<X> dip;
        X guess;
        const X sign = select(from.value < X(0), X(-1), X(1));
        const MaskOf<X> dips = both(open, Dip<X>::find(margins, parts, i, sign, dip, guess));
        dip.left = from.place;
        dip.right = to.place;
        const MaskOf<X> same_sign =
            either(both(from.value < X(0), to.value < X(0)), both(X(0) < from.value, X(0) < to.value));
        turns = turn_within(team, both(dips, same_sign), dip, guess, from.value, look, turn);
        for (int side = 0; side < 2; ++side) {
          const MaskOf<X> is_touch = both(turns, turn.value == X(0));
          if (!team.any(is_touch)) break;
          ValueAt<X> beside = turn;
          const X away = (side == 0 ? from : to).place - turn.place;
          const MaskOf<X> shows = leave_zero(team, watch, event, p, is_touch, away, step, leaving, beside);
          turn = ValueAt<X>::choose(both(shows, sign * beside.value < X(0)), beside, turn);
        }
      }
    }
    // Intervals: from the begin to a place beside, between the turns, to a place beside the end, and to the end.
    const MaskOf<X> open = i == 0 ? moved : both(moved, many);
    const int last = zeros.count > 0 ? zeros.count : 1;  // the greatest number of turns
    for (int interval = 0; interval < last + 3; ++interval) {
      ValueAt<X> a = from;
      ValueAt<X> b = to;
      MaskOf<X> where = open;
      if (interval == 0) {
        where = leaves;
        a = begin;
        b = from;
      } else if (interval <= last) {
        if (zeros.count > 0) {
          turns = both(open, zeros.next(from.place, to.place, turn.place));
          if (team.any(turns)) turn.value = look(select(turns, turn.place, X(1))).value;
        }
        where = turns;
        b = turn;
        from = ValueAt<X>::choose(turns, turn, from);
      } else if (interval == last + 2) {
        where = returns;
        a = to;
        b = end;
      }
      if (interval != last + 1 && !team.any(where)) continue;
      found(zero_between(team, watch, event, p, where, a.place, b.place, a.value, b.value, samples, tolerance, step,
                         leaving));
    }
  }
}

/// The beginning of a step: places are fractions of this share of it.
template <class X, class Step>
struct StepBeginning {
  const Step& step;
  X share;

  KALABA_FN int parts() const { return step.parts(); }
  KALABA_FN X length() const { return share * step.length(); }
  KALABA_FN StateView<X> look(const X& part) const { return step.look(share * part); }
  KALABA_FN StateView<X> glance(const X& part) const { return step.glance(share * part); }
  KALABA_FN StateView<X> glance_gaps(const X& part) const { return step.glance_gaps(share * part); }
  KALABA_FN X zero_gap(int contact, const X& part) const { return step.zero_gap(contact, share * part); }
  KALABA_FN void record(int event, const MaskOf<X>& counts, const StateView<X>& state) const {
    step.record(event, counts, state);
  }
  KALABA_FN void shorten(const MaskOf<X>& counts, const StateView<X>& state) const { step.shorten(counts, state); }
  KALABA_FN void join(int event, const MaskOf<X>& counts) const { step.join(event, counts); }
  KALABA_FN void wait(int event, const MaskOf<X>& counts) const { step.wait(event, counts); }
};

/// Samples of all events and contacts in a step; `earlier` and `later` are the values at its ends.
template <class X, class Step>
KALABA_FN void sample_step(const Watch& watch, const X* p, const X* earlier, const X* later, const Step& step,
                           PartEnds<X>* samples, const Leaving<X>* leaving) {
  const int parts = step.parts();
  bool has_margins = watch.operand_count > 0;
  for (int event = 0; event < watch.count; ++event) has_margins = has_margins || watch.events[event].margin.size > 0;
  for (int i = 0; i <= parts; ++i) {
    const bool inside = 0 < i && i < parts;
    X margins[Watch::most_samples];
    if (inside || has_margins) watch_margins(watch, p, step.glance(X(i) * X(1.0 / parts)), margins, leaving);
    for (int k = 0; k < watch.samples(); ++k) {
      const bool has_margin = k < watch.count && watch.events[k].margin.size > 0;
      const bool is_known = !inside && k < watch.values() && !has_margin;
      samples[k][i] = is_known ? (i == 0 ? earlier : later)[k] : margins[k];
    }
  }
}

/// Gap of a contact at a place in a step of this length, of values of the contacts there.
template <class X>
KALABA_FN GapAt<X> gap_at(const Watch& watch, int contact, const X& place, const X& length, const X* values) {
  return {place, values[watch.gap(contact)], length * values[watch.gap_rate(contact)]};
}

/// Place in a step where the gap of a contact falls to zero, in the lanes `open`; 2 if it does not. `undecided` becomes
/// the place up to which it stays open in the lanes in which the rest of the step cannot be decided.
template <class X, class Team, class Step>
KALABA_NOINLINE X gap_zero(const Team& team, const Watch& watch, int contact, const X* p, const MaskOf<X>& open,
                           const PartEnds<X>* samples, const X* probed, const X& tolerance, const Step& step,
                           const Leaving<X>* leaving, X& undecided) {
  const X length = step.length();
  GapSearch<X> search;
  search.parts = step.parts();
  for (int i = 0; i <= search.parts; ++i) {
    const X place = i == search.parts ? X(1) : X(i) * X(1.0 / search.parts);
    search.nodes[i] = {place, samples[watch.gap(contact)][i], length * samples[watch.gap_rate(contact)][i]};
  }
  search.begin(gap_at(watch, contact, X(search.probed_place(search.parts)), length, probed));
  MaskOf<X> searching = both(open, search.asks(X(0)));
  if (!team.any(searching)) return X(2);
  // Depths within the tolerance of contacts need not be found, nor those with which the step begins.
  const X zero = step.zero_gap(contact, search.lowest());
  const X rest = max_of(X(0.5) * (zero - p[watch.contacts[contact].slack]), X(0.125) * zero);
  const X depth = max_of(rest, fma(X(0.125), zero, -search.nodes[0].gap));
  searching = both(searching, search.asks(depth));
  const auto look = [&](const X& place, const MaskOf<X>& where) KALABA_LAMBDA {
    X values[Watch::most_values];
    watch_values(watch, p, step.look(select(where, place, X(1))), values, leaving);
    return gap_at(watch, contact, place, length, values);
  };
  const GapFall<X> fall = search.search(team, searching, depth, tolerance, look);
  undecided = select(fall.undecided, min_of(undecided, fall.from.place), undecided);
  const MaskOf<X> by_gap = X(0) < fall.from.gap;
  return zero_between(team, watch, watch.contacts[contact].event, p, fall.falls, fall.from.place, fall.to.place,
                      select(by_gap, fall.from.gap, fall.from.leaving_value()),
                      select(by_gap, fall.to.gap, fall.to.leaving_value()), samples, tolerance, step, leaving, by_gap);
}

/// Gives the values of events that are zero at the beginning of a step the sign with which they leave zero, if rounding
/// does not hide it, also that of the values `later` at the end of the step. Returns false if there are none; else
/// `starts` receives the values `earlier` with these. `left` receives the fractions of the step up to which the value
/// of each event is hidden.
template <class X, class Team, class Step>
KALABA_NOINLINE bool leave_zeros(const Team& team, const Watch& watch, const X* p, const MaskOf<X>& moved,
                                 const X* earlier, const X* later, const Step& step, X* starts, X* left,
                                 Leaving<X>* leaving) {
  MaskOf<X> zero = X(1) < X(0);
  MaskOf<X> open = zero;  // events of the last change, whose value may leave zero later
  for (int event = 0; event < watch.count; ++event) {
    left[event] = X(0);
    if (watch.events[event].contact >= 0) continue;
    zero = either(zero, both(moved, earlier[event] == X(0)));
    if (leaving != nullptr) open = either(open, both(moved, leaving->is_open(event)));
  }
  if (!team.any(zero)) return false;
  for (int i = 0; i < watch.values(); ++i) starts[i] = earlier[i];
  const int looks = team.any(open) ? 5 : 3;  // far apart: rounding hides the early ones of small differences
  for (int look = 0; look < looks; ++look) {
    const double part = look == 0 ? 0x1p-16 : look == 1 ? 0x1p-11 : look == 2 ? 0x1p-6 : look == 3 ? 0x1p-3 : 1;
    const StateView<X> state = step.look(X(part));
    for (int event = 0; event < watch.count; ++event) {
      if (watch.events[event].contact >= 0) continue;
      const bool is_truth = watch.events[event].margin.size > 0;
      const Expression& expression = watch.events[event].continuous();
      const X value = value_of(expression, p, state);
      const X size = is_truth ? X(0) : abs(later[event]);
      const X of_end = select(is_finite(size), X(16 * Limits<Scalar<X>>::epsilon) * size, X(0));
      const X rounding = max_of(rounding_of(expression, p, state), of_end);
      const MaskOf<X> leaves = both(starts[event] == X(0), rounding < abs(value));
      left[event] = select(leaves, X(part), left[event]);
      const X sign = select(value < X(0), X(-1), X(1));
      if (leaving != nullptr) leaving->settle(event, leaves, sign, state.t);
      starts[event] = select(leaves, is_truth ? sign : sign * X(Limits<Scalar<X>>::small), starts[event]);
    }
  }
  return true;
}

/// Examines samples of the events of closed contacts in a step, and of its probes, in the lanes that are doubtful
/// before.
template <class X, class Team, class Step>
KALABA_FN void examine(const Team& team, const Watch& watch, const X* p, const PartEnds<X>* samples, const Step& step,
                       const Leaving<X>* leaving, Resolution<X>& resolution) {
  const int parts = step.parts();
  resolution.measure(watch, p, samples, parts);
  for (int probe = 0; probe < resolution.probes; ++probe) {
    X values[Watch::most_samples];
    watch_margins(watch, p, step.glance(X(resolution.place(probe, parts))), values, leaving);
    resolution.add(watch, samples, parts, probe, values);
    resolution.judge(watch, samples, parts, probe + 1 < resolution.probes ? resolution.fine : 1);
    if (!team.any(resolution.some(watch))) return;
  }
}

/// Share of a step, from its beginning on, in which samples determine the signs of the events of closed contacts: 1, or
/// a power of 1/2 that is not smaller than a limit by rounding.
template <class X, class Team, class Step>
KALABA_NOINLINE X resolved_share(const Team& team, const Watch& watch, const X* p, const MaskOf<X>& moved,
                                 const X* earlier, const PartEnds<X>* samples, const X& tolerance,
                                 StepBeginning<X, Step> step, const Leaving<X>* leaving) {
  constexpr int most_halvings = 20;
  constexpr double least_share = Limits<Scalar<X>>::epsilon > 1e-10 ? 0x1p-10 : 0x1p-20;
  const int parts = step.parts();
  Resolution<X> whole;
  if (!team.any(whole.begin(watch, p, moved))) return X(1);
  examine(team, watch, p, samples, step, leaving, whole);
  const X least = max_of(X(least_share), X(1024) * tolerance);
  MaskOf<X> open = both(whole.some(watch), least < X(0.5));
  if (!team.any(open)) return X(1);
  PartEnds<X> shorter[Watch::most_samples];
  const auto sample = [&](const X& share) KALABA_LAMBDA {
    step.share = share;
    X ends[Watch::most_values];
    watch_values(watch, p, step.look(X(1)), ends, leaving);
    sample_step(watch, p, earlier, ends, step, shorter, leaving);
  };
  sample(least);
  whole.remove_noise(watch, shorter, parts);
  open = both(open, whole.some(watch));
  X share(1);
  for (int halvings = 0; halvings < most_halvings && team.any(open); ++halvings) {
    share = select(open, max_of(X(0.5) * share, least), share);
    sample(share);
    Resolution<X> now = whole;
    examine(team, watch, p, shorter, step, leaving, now);
    open = both(both(open, now.some(watch)), least < share);
  }
  return share;
}

}  // namespace detail

namespace detail {

/// Returns the lanes in which the value of an event is zero, up to rounding.
template <class X>
KALABA_FN MaskOf<X> is_zero(const Watch& watch, int event, const X* p, const StateView<X>& state) {
  const Expression& expression = watch.events[event].continuous();
  return abs(value_of(expression, p, state)) <= rounding_of(expression, p, state);
}

constexpr double instant_roundings = 32;  // of places at one instant; an adaptive step locates events to some of them

/// Returns the lanes in which the continuous expression of an event has arrived at zero at a state: it is at most
/// `zero` there, or rounding, and was not zero at the beginning of the step, where it was `before`.
template <class X>
KALABA_FN MaskOf<X> arrives_at(const Watch& watch, int event, const X* p, const StateView<X>& state, const X& before,
                               const X& zero) {
  const Expression& expression = watch.events[event].continuous();
  const X rounding = rounding_of(expression, p, state);
  return both(abs(value_of(expression, p, state)) <= max_of(rounding, zero), X(4) * rounding < abs(before));
}

/// Returns the lanes in which an event occurs where another one changes the member, at the fraction `stop` of the step:
/// its value has reached zero there, or it would reach zero at the same instant, up to rounding. So changes at one
/// instant do not depend on the order in which rounding has located them. `place`: where it reaches zero in the step;
/// `value`: its value at `stop`; `arrives`: the lanes in which it arrives at zero there (arrives_at); `hidden`: those
/// in which it is still leaving zero at `stop` (Leaving).
template <class X>
KALABA_FN MaskOf<X> occurs_at(const Watch& watch, int event, const X& stop, const X& place, const X& earlier,
                              const X& value, const MaskOf<X>& arrives, const MaskOf<X>& hidden, const X& tolerance) {
  const WatchedEvent& watched = watch.events[event];
  const MaskOf<X> reaches = crosses(watched.direction, earlier, value);
  if (watched.contact >= 0) return reaches;
  const MaskOf<X> near = place - stop <= X(instant_roundings) * tolerance;
  const MaskOf<X> arrives_so = both(arrives, crosses(watched.direction, earlier, X(0)));
  return either(reaches, both(!hidden, either(near, arrives_so)));
}

/// Detects events in a step of which samples are known (watch_step, each_zero). In the lanes `shortened` the step ends
/// at its end, and the next one begins there.
template <class X, class Team, class Step>
KALABA_NOINLINE void find_events(const Team& team, const Watch& watch, const X* p, const MaskOf<X>& moved,
                                 const X* earlier, const X* later, const X* left, const X& tolerance, const Step& step,
                                 PartEnds<X>* samples, const MaskOf<X>& shortened, const Leaving<X>* leaving) {
  X probed[Watch::most_values];
  X places[Watch::most_events];
  X latest[Watch::most_events];                 // of the events that do not end the step
  X stop(1);                                    // fraction of the step at which it ends in a lane
  X undecided = select(shortened, X(1), X(2));  // fraction up to which the contacts are known
  if constexpr (Watch::makes_changes) {
    if (watch.has_contacts()) {
      contact_values(watch, p, step.glance_gaps(X(GapSearch<X>::probed_place(step.parts()))), probed);
    }
  }
  for (int pass = 0; pass < 2; ++pass) {
    const bool ending = pass == 0;
    for (int event = 0; event < watch.count; ++event) {
      if (watch.events[event].ends_step() != ending) continue;
      places[event] = X(2);
      latest[event] = X(-1);
      const auto found = [&](const X& place) KALABA_LAMBDA {
        places[event] = min_of(places[event], place);
        if (ending) return;
        const MaskOf<X> counts = place <= stop;
        latest[event] = select(counts, place, latest[event]);
        if (team.any(counts)) step.record(event, counts, step.look(select(counts, place, X(1))));
      };
      MaskOf<X> by_value = moved;
      const int contact = watch.has_contacts() ? watch.events[event].contact : -1;
      if constexpr (Watch::makes_changes) {
        if (contact >= 0) {
          const MaskOf<X> is_closed = X(0.5) < p[watch.contacts[contact].mode];
          const MaskOf<X> open = both(moved, !is_closed);
          by_value = both(moved, is_closed);
          if (team.any(open)) {
            places[event] =
                gap_zero(team, watch, contact, p, open, samples, probed, tolerance, step, leaving, undecided);
          }
        }
      }
      if (contact < 0 || team.any(by_value)) {
        const MaskOf<X> is_finite_step = both(by_value, is_finite(later[event] - earlier[event]));
        const MaskOf<X> many = both(is_finite_step, shows_many(watch, event, samples, step.parts()));
        each_zero(team, watch, event, p, by_value, many, samples, earlier[event], later[event], left[event], tolerance,
                  step, leaving, found);
      }
      if (ending) stop = min_of(stop, places[event]);
    }
    if (ending) stop = min_of(stop, undecided);
  }
  MaskOf<X> cut = X(1) < X(0);
  MaskOf<X> waits[Watch::most_events];  // lanes in which the value arrives at zero at `stop` against its direction
  if (watch.has_changing_events()) {
    for (int event = 0; event < watch.count; ++event) {
      if (watch.events[event].ends_step()) cut = either(cut, both(moved, places[event] <= stop));
    }
    X values[Watch::most_values];
    MaskOf<X> zero[Watch::most_events];    // lanes in which the value is zero there, up to rounding
    MaskOf<X> occurs[Watch::most_events];  // lanes in which the event occurs there
    if (team.any(cut)) {
      const StateView<X> state = step.look(select(cut, stop, X(1)));
      watch_values(watch, p, state, values, leaving);
      for (int event = 0; event < watch.count; ++event) {
        zero[event] = is_zero(watch, event, p, state);
        const MaskOf<X> hidden = leaving != nullptr ? leaving->hides(event, state.t) : X(1) < X(0);
        const X& before = samples[event][0];
        const MaskOf<X> arrives = arrives_at(watch, event, p, state, before, X(0));
        occurs[event] =
            occurs_at(watch, event, stop, places[event], earlier[event], values[event], arrives, hidden, tolerance);
        // The value changes by so much within the rounding errors of the place.
        const X width = X(instant_roundings) * tolerance;
        const X zero_there = select(X(16) * width < stop, width * abs(before) / stop, X(0));
        const MaskOf<X> returns = both(cut, arrives_at(watch, event, p, state, before, zero_there));
        waits[event] = both(returns, !either(hidden, crosses(watch.events[event].direction, earlier[event], X(0))));
      }
    }
    for (int event = 0; event < watch.count && team.any(cut); ++event) {
      const MaskOf<X> joins = both(both(cut, both(left[event] <= stop, stop < places[event])), occurs[event]);
      places[event] = select(joins, stop, places[event]);
      if (watch.events[event].ends_step()) continue;
      // Both places are those of one instant, up to the width of their brackets, or rounding hides the value between.
      MaskOf<X> meets = either(joins, both(cut, stop - X(2) * tolerance <= latest[event]));
      const MaskOf<X> stays = both(both(both(cut, X(0) <= latest[event]), zero[event]), !meets);
      if (team.any(stays)) {
        const X between = select(stays, X(0.5) * (latest[event] + stop), X(1));
        meets = either(meets, both(stays, is_zero(watch, event, p, step.look(between))));
      }
      if (team.any(meets)) step.join(event, meets);
      if (team.any(joins)) step.record(event, joins, step.look(select(joins, stop, X(1))));
    }
  }
  for (int event = 0; event < watch.count; ++event) {
    if (!watch.events[event].ends_step()) continue;
    const MaskOf<X> counts = places[event] <= stop;
    if (team.any(counts)) step.record(event, counts, step.look(select(counts, places[event], X(1))));
  }
  if (team.any(cut)) {
    for (int event = 0; event < watch.count; ++event) {
      const MaskOf<X> counts = both(waits[event], stop < places[event]);
      if (!watch.events[event].change.settles && team.any(counts)) step.wait(event, counts);
    }
  }
  if constexpr (Watch::makes_changes) {
    const MaskOf<X> counts = both(moved, undecided <= stop);
    if (team.any(counts)) step.shorten(counts, step.look(select(counts, undecided, X(1))));
  }
}

}  // namespace detail

/// Detects events in a step that the lanes `moved` have made, between the `earlier` and the `later` values of the
/// expressions, to `tolerance` as a fraction of the step. A value that is already zero does not reach zero
/// before it has left it. A value that changes sign at a pole does not either: it differs by more between the two sides
/// of the pole, apart from rounding, than between the ends of the step and than its samples, or is not finite. Several
/// zeros are found if samples of the step show them, or show an extremum near zero.
///
/// step.look(part) gives the member at a fraction (0, 1] of the step; step.glance(part) gives it approximately, at low
/// cost; step.parts() is the number of equal parts into which the search divides the step, at most
/// PartEnds::most_parts. step.record(event, counts, state) is called for every event that is no later than the first
/// one that ends the step, by stopping or changing the member: for each event in chronological order, and last for the
/// events that end it. At the reported place the value has just reached zero; a value that has reached zero where
/// another event changes the member does so at that place. step.join(event, counts) is called for the recorded events
/// that occur where the member is changed: their value leaves zero from there. step.wait(event, counts) is called for
/// the events whose value arrives at zero there against their direction, up to rounding: likewise. `leaving`: events
/// whose value is zero at the beginning.
///
/// The events of open contacts are found by their gaps (GapSearch). With contacts, step.length() is the length of the
/// step in s; step.glance_gaps(part) is step.glance(part) without multipliers; step.zero_gap(contact, part) is the
/// largest gap that is zero; and step.shorten(counts, state) ends the step at a place up to which the contacts are
/// known, if the rest of the step cannot be decided.
///
/// The values of the events of closed contacts, multipliers and slips, may change in much shorter times than the state.
/// Only a beginning of the step is searched, and the step ends there, if their samples do not determine their signs
/// (resolved_share).
template <class X, class Team, class Step>
KALABA_NOINLINE void watch_step(const Team& team, const Watch& watch, const X* p, const MaskOf<X>& moved,
                                const X* earlier, const X* later, const X& tolerance, const Step& step,
                                Leaving<X>* leaving = nullptr) {
  X starts[Watch::most_values];
  X left[Watch::most_events];
  detail::PartEnds<X> samples[Watch::most_samples];
  if (!team.any(moved)) return;
  if (leaving != nullptr) leaving->begin_step(watch, step.length());
  const detail::StepBeginning<X, Step> whole = {step, X(1)};
  if (detail::leave_zeros(team, watch, p, moved, earlier, later, whole, starts, left, leaving)) earlier = starts;
  detail::sample_step(watch, p, earlier, later, whole, samples, leaving);
  if constexpr (Watch::makes_changes) {
    if (watch.has_contacts()) {
      const X share = detail::resolved_share(team, watch, p, moved, earlier, samples, tolerance, whole, leaving);
      const MaskOf<X> shortened = share < X(1);
      if (team.any(shortened)) {
        const detail::StepBeginning<X, Step> begin = {step, share};
        X ends[Watch::most_values];
        watch_values(watch, p, begin.look(X(1)), ends, leaving);
        for (int i = 0; i < watch.values(); ++i) ends[i] = select(shortened, ends[i], later[i]);
        for (int event = 0; event < watch.count; ++event) left[event] = min_of(left[event] / share, X(1));
        detail::sample_step(watch, p, earlier, ends, begin, samples, leaving);
        detail::find_events(team, watch, p, moved, earlier, ends, left, tolerance / share, begin, samples, shortened,
                            leaving);
        return;
      }
    }
  }
  detail::find_events(team, watch, p, moved, earlier, later, left, tolerance, whole, samples, X(1) < X(0), leaving);
}

/// Calls watch_step, through AnyStep on CPUs, where calls are cheap.
template <class X, class Team, class Step>
KALABA_FN void watch_any_step(const Team& team, const Watch& watch, const X* p, const MaskOf<X>& moved,
                              const X* earlier, const X* later, const X& tolerance, const Step& step,
                              Leaving<X>* leaving = nullptr) {
  if constexpr (KALABA_FOR_GPU) {
    watch_step(team, watch, p, moved, earlier, later, tolerance, step, leaving);
  } else {
    watch_step(team, watch, p, moved, earlier, later, tolerance, AnyStep<X>::of(step), leaving);
  }
}

/// Smallest distance of two fractions of a step at times of this size: four roundings.
template <class X>
KALABA_FN X part_tolerance(const X& t, const X& length) {
  return X(4 * Limits<Scalar<X>>::epsilon) * max_of(X(1), abs(t) / length);
}

}  // namespace kalaba

#pragma once

#include "kalaba/core/base/real.hpp"

namespace kalaba {

/// Gap of an open contact at a place in a step.
template <class X>
struct GapAt {
  X place;  ///< fraction of the step
  X gap;
  X slope;  ///< change of the gap per step

  KALABA_FN static GapAt choose(const MaskOf<X>& where, const GapAt& a, const GapAt& b) {
    return {select(where, a.place, b.place), select(where, a.gap, b.gap), select(where, a.slope, b.slope)};
  }
  /// Returns the lanes in which the gap is zero or less and does not increase.
  KALABA_FN MaskOf<X> has_fallen() const { return both(gap <= X(0), !(X(0) < slope)); }
  /// Value that falls to zero where the gap does, also for a gap that increases from zero at the beginning of a step.
  KALABA_FN X leaving_value() const { return select(X(0) < slope, max_of(gap, X(Limits<Scalar<X>>::small)), gap); }
};

/// Cubic through the gaps and slopes at two places; x is the fraction of the interval between them.
template <class X>
struct GapCubic {
  X constant, linear, square, cube;

  KALABA_FN GapCubic(const GapAt<X>& a, const GapAt<X>& b) {
    const X width = b.place - a.place;
    const X change = b.gap - a.gap;
    constant = a.gap;
    linear = width * a.slope;
    cube = linear + width * b.slope - X(2) * change;
    square = change - linear - cube;
  }
  KALABA_FN X value(const X& x) const { return fma(fma(fma(cube, x, square), x, linear), x, constant); }
  KALABA_FN X slope(const X& x) const { return fma(fma(X(3) * cube, x, X(2) * square), x, linear); }
  /// Largest slope in the interval.
  KALABA_FN X steepest_rise() const {
    const X ends = max_of(linear, slope(X(1)));
    const X x = -square / (X(3) * cube);
    return select(both(cube < X(0), both(X(0) < x, x < X(1))), max_of(ends, slope(x)), ends);
  }
  /// Place of the local minimum: the root of the slope with a positive second derivative. NaN if there is none.
  KALABA_FN X lowest() const {
    const X root = sqrt(square * square - X(3) * cube * linear);
    return select(square < X(0), (root - square) / (X(3) * cube), -linear / (square + root));
  }
  /// Bound on the error of the cubic in the interval, from the gap and the slope at x. The error of a cubic through
  /// two places is proportional to x^2 (1 - x)^2 as long as the fourth derivative is constant.
  KALABA_FN X error(const X& x, const GapAt<X>& at, const X& width) const {
    const X share = X(4) * x * (X(1) - x);
    const X of_slope = X(slope_share) * abs(slope(x) - width * at.slope);
    return max_of(abs(value(x) - at.gap), of_slope) / (share * share);
  }

 private:
  /// An error of the gap has at least 1.3 times its size as an error of the slope, for a step of `rk4` too, whose gaps
  /// and rates have different errors.
  static constexpr double slope_share = 0.75;
};

/// Bound on a gap in a whole step, from the gaps and slopes at its ends and the gaps at irregular places between: a
/// cubic is at least its least Bernstein coefficient, and its error is small relative to that. With a single place the
/// bound passes over one in a thousand random oscillations that become negative; with three over none of nine million.
template <class X>
struct OpenStep {
  static constexpr int places = 3;
  KALABA_FN static constexpr double place(int i) { return i == 0 ? 0.157 : i == 1 ? 0.381966 : 0.739; }

  /// Returns the lanes in which the gap stays positive; `within`: the gaps at the places.
  KALABA_FN static MaskOf<X> stays_open(const GapAt<X>& from, const GapAt<X>& to, const X* within) {
    const GapCubic<X> cubic(from, to);
    const X third(1.0 / 3);
    const X inside = min_of(fma(third, from.slope, from.gap), fma(-third, to.slope, to.gap));
    X error(0);
    KALABA_UNROLL
    for (int i = 0; i < places; ++i) {
      const double share = 4 * place(i) * (1 - place(i));
      error = max_of(error, X(safety / (share * share)) * abs(cubic.value(X(place(i))) - within[i]));
    }
    return error < min_of(min_of(from.gap, to.gap), inside);  // false for NaN at an end
  }

 private:
  static constexpr double safety = 8;
};

/// Interval of a step in which an open contact closes.
template <class X>
struct GapFall {
  MaskOf<X> falls;  ///< lanes in which it closes between `from` and `to`
  GapAt<X> from, to;
  MaskOf<X> undecided;  ///< lanes in which it stays open up to `from`, and in which the rest of the step is unknown
};

/// Search for the first place in a step where the gap of an open contact falls to zero, from gaps and slopes at places
/// of the step. A cubic through two places and a bound on its error decide on an interval: the gap stays positive; it
/// falls to zero once; or the interval is divided. The error of a narrower interval is estimated by the third power
/// of its width, one less than the order of a cubic, and measured again at every new place.
template <class X>
struct GapSearch {
  static constexpr int most_parts = 16;
  static constexpr int most_looks = 96;
  static constexpr int halving_looks = 32;   ///< later intervals are halved, so that their width reaches rounding
  static constexpr double probe = 0.381966;  ///< place of the irregular sample within its part
  static constexpr double safety = 2;
  static constexpr double slope_of_error = 4;  ///< of x^2 (1 - x)^2, relative to its size, and a margin

  int parts;
  GapAt<X> nodes[most_parts + 1];  ///< at the ends of the equal parts of the step
  X error;                         ///< bound on the error of the cubic of a part
  X low[most_parts];               ///< lower bound of the gap in a part
  MaskOf<X> falls[most_parts];     ///< the gap is zero or less at the end of a part

  /// Part of the irregular sample, which shows gaps that vary with the period of the nodes.
  KALABA_FN static constexpr int probed_part(int parts) { return parts / 2; }
  KALABA_FN static constexpr double probed_place(int parts) { return (probed_part(parts) + probe) / parts; }

  /// Computes the bounds of all parts from the gaps at the nodes, and from one at the probed place.
  KALABA_FN void begin(const GapAt<X>& probed) {
    error = X(0);
    for (int i = 0; i + 2 <= parts; i += 2) {
      const GapCubic<X> wide(nodes[i], nodes[i + 2]);
      error = max_of(error, wide.error(X(0.5), nodes[i + 1], nodes[i + 2].place - nodes[i].place));
    }
    const GapAt<X>& before = nodes[probed_part(parts)];
    const GapAt<X>& behind = nodes[probed_part(parts) + 1];
    error = X(safety) * max_of(error, GapCubic<X>(before, behind).error(X(probe), probed, behind.place - before.place));
    for (int i = 0; i < parts; ++i) {
      falls[i] = closes(nodes[i], nodes[i + 1]);
      low[i] = lowest_between(GapCubic<X>(nodes[i], nodes[i + 1]), nodes[i], nodes[i + 1]) - error;
    }
  }
  /// Returns the lanes in which the gap may come below -`depth` in part i, or falls to zero at its end.
  KALABA_FN MaskOf<X> asks(int i, const X& depth) const { return either(falls[i], !(-depth < low[i])); }
  /// Likewise, in some part.
  KALABA_FN MaskOf<X> asks(const X& depth) const {
    MaskOf<X> some = asks(0, depth);
    for (int i = 1; i < parts; ++i) some = either(some, asks(i, depth));
    return some;
  }
  /// Place of the smallest gap at a node.
  KALABA_FN X lowest() const {
    GapAt<X> least = nodes[0];
    for (int i = 1; i <= parts; ++i) least = GapAt<X>::choose(nodes[i].gap < least.gap, nodes[i], least);
    return least.place;
  }

  /// Searches in the lanes `open`. look(place, where) returns the gap at a place, in the lanes `where`. `depth`:
  /// smaller depths need not be found. Intervals of the width `tolerance` are not divided.
  template <class Team, class Look>
  KALABA_FN GapFall<X> search(const Team& team, const MaskOf<X>& open, const X& depth, const X& tolerance,
                              const Look& look) const {
    using Mask = MaskOf<X>;
    GapFall<X> found;
    found.falls = X(1) < X(0);
    GapAt<X>& a = found.from;
    GapAt<X>& b = found.to;
    a = nodes[0];
    b = nodes[parts];
    Mask searching = open;
    Mask at_node = open;
    GapAt<X> node = nodes[parts];  // end of the part
    X part(-1);
    X place(1);
    X rough = error;  // error of the cubic, if the interval were as wide as a part
    const auto next_part = [&](const Mask& where) KALABA_LAMBDA {
      Mask left = where;
      for (int i = 0; i < parts; ++i) {
        const Mask here = both(both(left, asks(i, depth)), part < X(i));
        a = GapAt<X>::choose(both(here, part + X(1) < X(i)), nodes[i], a);
        place = select(here, nodes[i + 1].place, place);
        part = select(here, X(i), part);
        left = both(left, !here);
      }
      searching = both(searching, !left);
      at_node = either(both(at_node, !where), both(where, !left));
    };
    next_part(open);
    for (int looks = 0; looks < most_looks && team.any(searching); ++looks) {
      GapAt<X> seen = nodes[parts];
      const Mask inside = both(searching, place < X(1));
      if (team.any(inside)) seen = GapAt<X>::choose(inside, look(place, inside), seen);
      searching = both(searching, is_finite(seen.gap + seen.slope));
      const X width = b.place - a.place;
      const X measured = GapCubic<X>(a, b).error((place - a.place) / width, seen, width);
      const Mask divides = both(searching, !at_node);
      const Mask rougher = both(divides, rough < X(safety) * measured / of_width(width));
      rough = select(rougher, X(safety) * measured / of_width(width), rough);
      rough = select(both(searching, at_node), error, rough);
      node = GapAt<X>::choose(both(searching, at_node), seen, node);
      b = GapAt<X>::choose(searching, seen, b);
      at_node = X(1) < X(0);
      Mask undecided = searching;
      for (int test = 0; test < 2; ++test) {  // of the interval, and then of the rest of the part
        const X error_here = rough * of_width(b.place - a.place);
        const bool halves = looks >= halving_looks;
        const GapCubic<X> cubic(a, b);
        const X lowest = cubic.lowest();
        const Mask has_lowest = both(X(0) < lowest, lowest < X(1));
        const Mask narrow = b.place - a.place <= X(4) * tolerance;
        const Mask closing = closes(a, b);
        // The gap falls once: all the way, or without coming near zero before, and returning.
        const Mask falls_all_the_way = cubic.steepest_rise() + X(slope_of_error) * error_here < X(0);
        const Mask returns = both(both(has_lowest, !(X(0) < b.slope)), cubic.value(lowest) <= error_here);
        const Mask single = either(either(narrow, falls_all_the_way), both(X(2) * error_here <= depth, !returns));
        const Mask is_fall = both(both(undecided, closing), single);
        found.falls = either(found.falls, is_fall);
        const Mask stays = either(narrow, -depth < lowest_between(cubic, a, b) - error_here);
        const Mask is_clear = both(both(undecided, !closing), stays);
        const X at_lowest = min_of(max_of(lowest, X(0.15)), X(0.85));
        const X within = select(both(has_lowest, halves ? X(1) < X(0) : X(0) < X(1)), at_lowest, X(0.5));
        place = select(undecided, fma(within, b.place - a.place, a.place), place);
        searching = both(searching, !is_fall);
        const Mask is_rest = both(is_clear, b.place < node.place);
        const Mask is_end = both(is_clear, !(b.place < node.place));
        a = GapAt<X>::choose(is_clear, b, a);
        b = GapAt<X>::choose(is_rest, node, b);
        if (team.any(is_end)) next_part(is_end);
        undecided = is_rest;
        if (!team.any(undecided)) break;
      }
    }
    found.undecided = searching;
    return found;
  }

 private:
  KALABA_FN X of_width(const X& width) const {
    const X share = X(parts) * width;
    return share * share * share;
  }
  /// Returns the lanes in which the gap is positive or increases at a, and zero or less at b.
  KALABA_FN static MaskOf<X> closes(const GapAt<X>& a, const GapAt<X>& b) {
    return select_mask(X(0) < a.gap, b.gap <= X(0), b.has_fallen());
  }
  KALABA_FN static X lowest_between(const GapCubic<X>& cubic, const GapAt<X>& a, const GapAt<X>& b) {
    const X ends = min_of(a.gap, b.gap);
    const X x = cubic.lowest();
    return select(both(X(0) < x, x < X(1)), min_of(ends, cubic.value(x)), ends);
  }
  KALABA_FN static MaskOf<X> select_mask(const MaskOf<X>& where, const MaskOf<X>& a, const MaskOf<X>& b) {
    return either(both(where, a), both(!where, b));
  }
};

}  // namespace kalaba

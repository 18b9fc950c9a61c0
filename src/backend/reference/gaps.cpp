#include "backend/reference/gaps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kalaba::reference {
namespace {

constexpr int first_parts = 13;  ///< an odd number: samples that the core does not take
constexpr double narrowest = 0x1p-36;
constexpr double safety = 1.5;

using GapOfStep = std::function<GapHere(double part)>;

/// Recursive search in intervals, from left to right.
class ClosingSearch {
 public:
  ClosingSearch(GapOfStep gap, double depth) : gap_(std::move(gap)), depth_(depth) {}

  std::optional<Closing> between(const GapHere& a, const GapHere& b) const {
    const double width = b.part - a.part;
    const GapHere middle = gap_(a.part + width / 2);
    const double chords[2] = {(middle.gap - a.gap) / (width / 2), (b.gap - middle.gap) / (width / 2)};
    const auto [least, most] = std::minmax({a.slope, chords[0], middle.slope, chords[1], b.slope});
    const double apart = safety * (most - least);
    const bool closes = a.gap > 0 ? b.gap <= 0 : b.has_fallen();
    const bool falls = most + apart < 0;
    const bool rises = least - apart > 0;
    if (closes && (falls || width <= narrowest)) return Closing{a, b};
    if (!closes) {
      const double low =
          std::min(lowest(a, middle, least - apart, most + apart), lowest(middle, b, least - apart, most + apart));
      if (falls || rises || low > -depth_ || width <= narrowest || !std::isfinite(low)) return std::nullopt;
    }
    const std::optional<Closing> found = between(a, middle);
    return found ? found : between(middle, b);
  }

 private:
  /// Lower bound of the gap between two places, for slopes in [least, most].
  static double lowest(const GapHere& a, const GapHere& b, double least, double most) {
    const double width = b.part - a.part;
    if (least >= 0 || most <= 0) return std::min(a.gap, b.gap);
    // Intersection of the lines of least slope from a and of greatest slope to b.
    const double along = std::clamp((b.gap - a.gap - most * width) / (least - most), 0.0, width);
    return a.gap + least * along;
  }

  GapOfStep gap_;
  double depth_;
};

}  // namespace

GapHere gap_here(const Watch& watch, int contact, double part, double length, const Instant& x, const GapsAt& gaps_at) {
  const Vector gaps = gaps_at(x);
  return {part, gaps[contact] + x.p[watch.contacts[contact].slack], length * gaps[watch.contact_count + contact]};
}

std::optional<Closing> first_closing(const GapOfStep& gap,
                                     const std::function<double(const GapHere& begin, double lowest)>& depth) {
  std::vector<GapHere> nodes;
  for (int i = 0; i <= first_parts; ++i) nodes.push_back(gap(static_cast<double>(i) / first_parts));
  if (!std::isfinite(nodes.front().gap) || !std::isfinite(nodes.back().gap)) return std::nullopt;
  const auto lowest = std::ranges::min_element(nodes, {}, &GapHere::gap);
  const ClosingSearch search(gap, depth(nodes.front(), lowest->part));
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (const auto found = search.between(nodes[i], nodes[i + 1])) return found;
  }
  return std::nullopt;
}

std::optional<Closing> closing_of(const Watch& watch, int contact, double length, const StateAt& state,
                                  const OpenGaps& gaps) {
  const auto gap = [&](double part) { return gap_here(watch, contact, part, length, state(part), gaps.at); };
  return first_closing(gap, [&](const GapHere& begin, double lowest) {
    const double zero = gaps.zero(contact, state(lowest));
    const double slack = state(0).p[watch.contacts[contact].slack];
    return std::max({(zero - slack) / 2, zero / 8, zero / 8 - begin.gap});
  });
}

}  // namespace kalaba::reference

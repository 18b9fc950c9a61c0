#include <algorithm>

#include "kalaba/error.hpp"
#include "kalaba/swarm/agent_laws.hpp"

namespace kalaba {
namespace {

/// Returns the slopes at the points of a cubic spline through `values`; h and s are the lengths and mean slopes of its
/// pieces. The curvature is continuous inside, the third derivative continuous after the first piece and before the
/// last.
std::vector<double> spline_slopes(const std::vector<double>& h, const std::vector<double>& s) {
  const std::size_t last = h.size();  // index of the last point
  if (last == 1) return {s[0], s[0]};
  std::vector<double> below(last + 1), diagonal(last + 1), above(last + 1), right(last + 1);
  for (std::size_t i = 1; i < last; ++i) {
    below[i] = h[i];
    diagonal[i] = 2 * (h[i - 1] + h[i]);
    above[i] = h[i - 1];
    right[i] = 3 * (h[i] * s[i - 1] + h[i - 1] * s[i]);
  }
  const auto end = [&](double h0, double h1, double s0, double s1) {
    return ((h0 + 2 * (h0 + h1)) * h1 * s0 + h0 * h0 * s1) / (h0 + h1);
  };
  if (last == 2) {  // both end conditions coincide: a parabola instead
    const double bend = (s[1] - s[0]) / (h[0] + h[1]);
    return {s[0] - bend * h[0], s[0] + bend * h[0], s[1] + bend * h[1]};
  }
  diagonal[0] = h[1];
  above[0] = h[0] + h[1];
  right[0] = end(h[0], h[1], s[0], s[1]);
  diagonal[last] = h[last - 2];
  below[last] = h[last - 1] + h[last - 2];
  right[last] = end(h[last - 1], h[last - 2], s[last - 1], s[last - 2]);
  for (std::size_t i = 1; i <= last; ++i) {
    const double share = below[i] / diagonal[i - 1];
    diagonal[i] -= share * above[i - 1];
    right[i] -= share * right[i - 1];
  }
  right[last] /= diagonal[last];
  for (std::size_t i = last; i-- > 0;) right[i] = (right[i] - above[i] * right[i + 1]) / diagonal[i];
  return right;
}

}  // namespace

template <int D>
OnPath<D>::OnPath(const std::vector<double>& times, const std::vector<Vec<double, D>>& points) {
  if (times.size() < 2 || times.size() != points.size() || !std::ranges::is_sorted(times, std::less_equal<>())) {
    throw Error(ExitCode::bad_input, "a path: expected two or more points at ascending times");
  }
  pieces_.resize(times.size() - 1);
  for (int d = 0; d < D; ++d) {
    std::vector<double> h, s;
    for (std::size_t i = 0; i + 1 < times.size(); ++i) {
      h.push_back(times[i + 1] - times[i]);
      s.push_back((points[i + 1][d] - points[i][d]) / h[i]);
    }
    const std::vector<double> slopes = spline_slopes(h, s);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const double bend = (slopes[i] + slopes[i + 1] - 2 * s[i]) / h[i];
      pieces_[i].begin = times[i];
      pieces_[i].c[0][d] = points[i][d];
      pieces_[i].c[1][d] = slopes[i];
      pieces_[i].c[2][d] = (s[i] - slopes[i]) / h[i] - bend;
      pieces_[i].c[3][d] = bend / h[i];
    }
  }
}

template <int D>
const typename OnPath<D>::Piece& OnPath<D>::at(double t) const {
  const auto after = std::upper_bound(pieces_.begin() + 1, pieces_.end(), t,
                                      [](double time, const Piece& piece) { return time < piece.begin; });
  return *(after - 1);
}

template class OnPath<2>;
template class OnPath<3>;

}  // namespace kalaba

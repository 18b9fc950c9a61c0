#include "engine/statistics/statistics_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kalaba {
namespace {

/// Lists of the moments of some members.
struct MomentLists {
  std::vector<double>& mean;
  std::vector<double>& std;
  std::vector<double>& min;
  std::vector<double>& max;

  void make_room(std::size_t size, const StatisticsOptions& requested) const {
    if (requested.has(Statistic::mean)) mean.assign(size, of_none);
    if (requested.has(Statistic::std)) std.assign(size, of_none);
    if (requested.has(Statistic::min)) min.assign(size, of_none);
    if (requested.has(Statistic::max)) max.assign(size, of_none);
  }

  void put(const Moments& moments, std::size_t place) const {
    if (moments.count == 0) return;
    if (!mean.empty()) mean[place] = moments.mean;
    if (!std.empty()) std[place] = std::sqrt(moments.squares / moments.count);
    if (!min.empty()) min[place] = moments.least;
    if (!max.empty()) max[place] = moments.greatest;
  }
};

MomentLists of_all(FieldStatistics& field) { return {field.mean, field.std, field.min, field.max}; }
MomentLists of_groups(FieldStatistics& field) {
  return {field.group_mean, field.group_std, field.group_min, field.group_max};
}

void make_room_for_histogram(FieldStatistics& field, std::size_t size, const StatisticsOptions& requested) {
  const auto bins = static_cast<std::size_t>(requested.bins);
  const std::size_t components = field.layout.size();
  for (std::size_t i = 0; i < components; ++i) {
    const HistogramRange* const range = range_of(requested, field.layout, i);
    if (range == nullptr) continue;
    if (field.histogram.empty()) {
      field.histogram.assign(size * bins, 0);
      field.below.assign(size, 0);
      field.above.assign(size, 0);
      field.bin_edges.assign(components * (bins + 1), of_none);
    }
    std::ranges::copy(even_edges(range->low, range->high, bins),
                      field.bin_edges.begin() + static_cast<long>(i * (bins + 1)));
  }
}

double put_quantiles(const QuantileSketch& sketch, const Moments& moments, const std::vector<double>& shares,
                     std::size_t place, FieldStatistics& field) {
  const QuantileSketch::Quantiles found = sketch.quantiles(shares);
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    // The extremes are exact, even if a sample has omitted them.
    const double value = shares[i] == 0 ? moments.least : shares[i] == 1 ? moments.greatest : found.values[i];
    field.quantiles[i * field.count.size() + place] = value;
  }
  return found.rank_error / found.count;
}

void make_room_for_gradients(FieldStatistics& field, std::size_t size, const StatisticsOptions& requested,
                             std::size_t along) {
  field.gradient_count.assign(size, 0);
  for (auto* const gradient : {&field.mean_gradient, &field.variance_gradient, &field.std_gradient}) {
    gradient->assign(size * along, of_none);
  }
  if (requested.has(Statistic::quantiles))
    field.quantile_gradient.assign(size * along * requested.quantiles.size(), of_none);
}

void put_gradients(const CoMoments& found, std::size_t place, FieldStatistics& field) {
  const std::size_t size = field.count.size();
  field.gradient_count[place] = found.count;
  for (std::size_t i = 0; i < found.inputs.size(); ++i) {
    const std::size_t there = i * size + place;
    field.mean_gradient[there] = found.inputs[i].mean;
    field.variance_gradient[there] = 2 * found.inputs[i].product / found.count;
    // Two roots, because the product of count and squares may overflow.
    if (found.squares > 0) {
      field.std_gradient[there] = found.inputs[i].product / std::sqrt(found.squares) / std::sqrt(found.count);
    }
  }
}

/// Call after the quantiles are stored.
void put_quantile_gradients(const SlopeSample& slopes, std::size_t shares, std::size_t place, FieldStatistics& field) {
  const std::size_t size = field.count.size();
  for (std::size_t share = 0; share < shares; ++share) {
    const std::vector<double> found = slopes.slopes_at(field.quantiles[share * size + place]);
    for (std::size_t i = 0; i < found.size(); ++i) {
      field.quantile_gradient[(share * found.size() + i) * size + place] = found[i];
    }
  }
}

void put_histogram(const BinCounts& counts, std::size_t place, FieldStatistics& field) {
  field.below[place] = static_cast<double>(counts.below());
  field.above[place] = static_cast<double>(counts.above());
  std::ranges::copy(counts.bins(), field.histogram.begin() + static_cast<long>(place * counts.bins().size()));
}

}  // namespace

void make_room(FieldStatistics& field, std::size_t times, const StatisticsOptions& requested, std::size_t along) {
  const std::size_t size = times * field.layout.size();
  field.count.resize(size);
  of_all(field).make_room(size, requested);
  if (requested.has(Statistic::quantiles)) field.quantiles.assign(size * requested.quantiles.size(), of_none);
  if (requested.has(Statistic::correlation)) field.correlation.assign(size * requested.inputs.size(), of_none);
  if (!requested.group_by.empty()) {
    field.group_count.assign(size * requested.groups.size(), 0);
    of_groups(field).make_room(size * requested.groups.size(), requested);
  }
  make_room_for_histogram(field, size, requested);
  if (along > 0) make_room_for_gradients(field, size, requested, along);
}

double put_result(const ComponentStatistics& found, const StatisticsOptions& requested, std::size_t place,
                  FieldStatistics& field) {
  const Moments moments = found.moments.total();
  field.count[place] = moments.count;
  if (moments.count == 0) return 0;
  const std::size_t size = field.count.size();
  of_all(field).put(moments, place);
  if (found.correlation) {
    const std::vector<double> correlations = found.correlation->total().correlations();
    for (std::size_t i = 0; i < correlations.size(); ++i) field.correlation[i * size + place] = correlations[i];
  }
  if (found.groups) {
    const std::vector<Moments> groups = found.groups->total();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      field.group_count[i * size + place] = groups[i].count;
      of_groups(field).put(groups[i], i * size + place);
    }
  }
  if (found.histogram) put_histogram(*found.histogram, place, field);
  if (found.gradient) put_gradients(found.gradient->total(), place, field);
  if (!found.quantiles) return 0;
  const double rank_error = put_quantiles(*found.quantiles, moments, requested.quantiles, place, field);
  if (found.slopes) put_quantile_gradients(*found.slopes, requested.quantiles.size(), place, field);
  return rank_error;
}

}  // namespace kalaba

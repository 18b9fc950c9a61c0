#pragma once

#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/reader.hpp"
#include "report/sensitivity.hpp"

namespace kalaba {

/// The pictures of one page, as HTML: a grid of figures each, "" where there is nothing to draw.
class ReportPictures {
 public:
  explicit ReportPictures(const std::string& data_path) : data_path_(data_path) {}

  /// Coordinates over time, paths and final histograms; from statistics where the file holds no members,
  /// then of swarms what is theirs as a whole.
  std::string over_time(const Contents& contents, const EnsembleStatistics& statistics);
  /// Constraint errors and the change of energy over time.
  std::string errors(const Contents& contents, const EnsembleStatistics& statistics);
  /// The strongest inputs of each output, and the strongest pairs.
  std::string sensitivity(const Sensitivity& data);

 private:
  static constexpr double usual_height = 330;  // pixels

  std::string figure(const std::string& panel, const std::string& words, double height = usual_height);
  std::string fields(const EnsembleStatistics& statistics, std::initializer_list<Field> wanted);

  std::string data_path_;
  int drawn_ = 0;
};

}  // namespace kalaba

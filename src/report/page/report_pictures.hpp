#pragma once

#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/base/reader.hpp"
#include "report/data/drawing.hpp"
#include "report/data/sensitivity.hpp"
#include "report/figure/page.hpp"

namespace kalaba {

/// Figures in rows; "" without figures.
std::string grid(const std::string& figures);

/// Pictures of one page, as HTML: each function returns a grid of figures, "" if there is nothing to draw. The figures
/// contain placeholders, which `place` replaces after drawing all pictures together.
class ReportPictures {
 public:
  explicit ReportPictures(const std::string& data_path) : data_path_(data_path) {}

  /// Coordinates over time, paths and final histograms; from statistics if the file has no members; for swarms the
  /// variables of a whole swarm.
  std::string over_time(const Contents& contents, const EnsembleStatistics& statistics);
  /// Constraint errors and the change of energy over time.
  std::string errors(const Contents& contents, const EnsembleStatistics& statistics);
  /// The strongest inputs of each output, and the strongest pairs.
  std::string sensitivity(const Sensitivity& data);

  /// Sobol' indices of each output.
  std::string sobol(const Sensitivity& data);

  /// Heat maps over the inputs, if there are at least two and enough members.
  std::string sweep(const MemberSample& members, const std::vector<std::string>& starts);
  /// Times of the first occurrence of each event.
  std::string events(const MemberSample& members);
  /// Motion of one member's mechanism, if its system has a drawing.
  std::string motion(const Archive& archive, Reader& reader, const DrawingOfScenario& of_model);
  /// Phase portraits, and for many members their density at the last saved time.
  std::string portraits(const MemberSample& members);
  /// All other saved variables, over time.
  std::string others(const Contents& contents);

  /// The page with its pictures in place of the placeholders.
  std::string place(const std::string& page) const;

 private:
  // Pixels: about the width of a phone, so that text stays legible there; two figures fit side by side on a laptop.
  static constexpr double width = 436;
  static constexpr double usual_height = 330;

  std::string panels(const std::vector<DrawnPanel>& all);
  std::string figure(const std::string& panel, const std::string& words, double height = usual_height);
  std::string fields(const EnsembleStatistics& statistics, std::initializer_list<Field> requested);

  std::string data_path_;
  struct Picture {
    std::string script;
    std::string words;
  };
  std::vector<Picture> pictures_;
};

}  // namespace kalaba

#pragma once

#include <string>
#include <vector>

#include "kalaba/statistics.hpp"
#include "output/base/reader.hpp"
#include "report/data/sensitivity.hpp"
#include "report/figure/drawn_panel.hpp"

namespace kalaba {

/// Figures in rows; "" of none.
std::string grid(const std::string& figures);

/// The pictures of one page, as HTML: a grid of figures each, "" where there is nothing to draw. The figures have
/// places for their pictures, which `place` draws all at once.
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

  /// The indices of Sobol' of each output.
  std::string sobol(const Sensitivity& data);

  /// Heat maps over what was varied, where two inputs or more were and members are enough.
  std::string sweep(const MemberSample& members, const std::vector<std::string>& starts);
  /// When each event happened first.
  std::string events(const MemberSample& members);
  /// A member's mechanism on its way, where its system has a drawing.
  std::string motion(const Archive& archive, Reader& reader);
  /// Phase portraits, and of many members where they are at the last saved time.
  std::string portraits(const MemberSample& members);
  /// Whatever else was saved, over time.
  std::string others(const Contents& contents);

  /// The page with the pictures in their places.
  std::string place(const std::string& page) const;

 private:
  // Pixels: about what a phone shows, so that letters stay legible there; two stand side by side on a laptop.
  static constexpr double width = 436;
  static constexpr double usual_height = 330;

  std::string panels(const std::vector<DrawnPanel>& all);
  std::string figure(const std::string& panel, const std::string& words, double height = usual_height);
  std::string fields(const EnsembleStatistics& statistics, std::initializer_list<Field> wanted);

  std::string data_path_;
  struct Picture {
    std::string script;
    std::string words;
  };
  std::vector<Picture> pictures_;
};

}  // namespace kalaba

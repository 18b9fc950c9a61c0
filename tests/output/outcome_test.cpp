#include <gtest/gtest.h>

#include <iterator>
#include <vector>

#include "output/netcdf/netcdf_outcome.hpp"
#include "output/netcdf/netcdf_schema_writer.hpp"
#include "scenarios/scratch_folder.hpp"

namespace kalaba {
namespace {

TEST(OutcomeFigures, ARowIsWrittenReadAndJoined) {
  std::vector<OutcomeFigure> figures(std::begin(outcome_figures), std::end(outcome_figures));
  figures.push_back({"toy_seconds", &Summary::compute_seconds, false, true});
  Summary summary;
  double value = 1;
  for (const OutcomeFigure& figure : figures) figure.set(summary, value++);

  const ScratchFolder folder;
  const std::string path = folder.path("outcome.nc");
  NetcdfFile file = NetcdfFile::create(path, path);
  write_outcome(file, summary, figures);
  file.close();
  const Summary read = read_summary(NetcdfFile::open(path), figures);
  for (const OutcomeFigure& figure : figures) EXPECT_EQ(figure.of(read), figure.of(summary)) << figure.name;
  EXPECT_EQ(read_summary(NetcdfFile::open(path)).compute_seconds, 0);

  Summary sum = summary;
  for (const OutcomeFigure& figure : figures) figure.join(sum, read);
  EXPECT_EQ(sum.compute_seconds, summary.compute_seconds);
  EXPECT_EQ(sum.member_steps, 2 * summary.member_steps);
}

}  // namespace
}  // namespace kalaba

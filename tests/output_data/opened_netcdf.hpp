#pragma once

#include <gtest/gtest.h>
#include <netcdf.h>

#include <array>
#include <string>
#include <vector>

#include "output_data/fake_run.hpp"

namespace kalaba {

/// netCDF output, read through the C library only, like any other reader.
class OpenedNetcdf : public testing::Test {
 protected:
  using Names = std::vector<std::string>;

  /// Writes a run and opens the resulting file.
  void open(const FakeRun& run, const Provenance& provenance = {}) {
    const auto sink = open_sink(folder_ / "run.nc", provenance);
    sink->finish(run.feed(*sink));
    path_ = sink->published_path();
    ASSERT_EQ(nc_open(path_.c_str(), NC_NOWRITE, &id_), NC_NOERR);
  }
  void TearDown() override {
    if (id_ >= 0) nc_close(id_);
  }

  bool has(const std::string& name) const {
    int variable = -1;
    return nc_inq_varid(id_, name.c_str(), &variable) == NC_NOERR;
  }
  int variable(const std::string& name) const {
    int variable = -1;
    EXPECT_EQ(nc_inq_varid(id_, name.c_str(), &variable), NC_NOERR) << name;
    return variable;
  }
  Names dimensions_of(const std::string& name) const {
    int count = 0;
    std::array<int, NC_MAX_VAR_DIMS> dimensions = {};
    EXPECT_EQ(nc_inq_var(id_, variable(name), nullptr, nullptr, &count, dimensions.data(), nullptr), NC_NOERR);
    Names names;
    for (int i = 0; i < count; ++i) {
      std::array<char, NC_MAX_NAME + 1> dimension = {};
      EXPECT_EQ(nc_inq_dimname(id_, dimensions[static_cast<std::size_t>(i)], dimension.data()), NC_NOERR);
      names.emplace_back(dimension.data());
    }
    return names;
  }
  std::vector<double> numbers(const std::string& name) const {
    std::size_t size = 1;
    for (const std::string& dimension : dimensions_of(name)) {
      int dimension_id = -1;
      std::size_t length = 0;
      EXPECT_EQ(nc_inq_dimid(id_, dimension.c_str(), &dimension_id), NC_NOERR);
      EXPECT_EQ(nc_inq_dimlen(id_, dimension_id, &length), NC_NOERR);
      size *= length;
    }
    std::vector<double> values(size);
    EXPECT_EQ(nc_get_var_double(id_, variable(name), values.data()), NC_NOERR) << name;
    return values;
  }
  /// Attribute of a variable; of the file if `owner` is empty.
  std::string text(const std::string& owner, const char* name) const {
    const int id = owner.empty() ? NC_GLOBAL : variable(owner);
    std::size_t size = 0;
    EXPECT_EQ(nc_inq_attlen(id_, id, name, &size), NC_NOERR) << owner << " " << name;
    std::string text(size, ' ');
    EXPECT_EQ(nc_get_att_text(id_, id, name, text.data()), NC_NOERR) << owner << " " << name;
    return text;
  }

  TemporaryFolder folder_;
  std::string path_;
  int id_ = -1;
};

}  // namespace kalaba

#include "backend/cuda/library_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "cubin_help.hpp"

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

/// Environment whose variables point to a folder of the test only.
class PlacesOfLibraries : public testing::Test {
 protected:
  PlacesOfLibraries() {
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "PATH", "HOME"}) {
      const char* const value = std::getenv(name);
      if (value != nullptr) before_[name] = value;
      ::unsetenv(name);
    }
  }
  ~PlacesOfLibraries() override {
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "PATH", "HOME"}) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::string make(const std::string& file) const {
    const fs::path path = folder_.path() / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "a library";
    return path.string();
  }
  void set(const char* variable, const std::string& below) { ::setenv(variable, (folder_ / below).c_str(), 1); }
  static bool finds(const std::string& file) {
    const auto all = library_candidates({{"libmissing.so.13", "libmissing.so.12"}, "missing"});
    return std::ranges::find(all, file) != all.end();
  }

  CubinFolder folder_;
  std::map<std::string, std::string> before_;
};

TEST_F(PlacesOfLibraries, BeginWithTheLoadersOwn) {
  const auto all = library_candidates({{"libmissing.so.13", "libmissing.so.12"}, "missing"});
  EXPECT_EQ(all, (std::vector<std::string>{"libmissing.so.13", "libmissing.so.12"}));
}

TEST_F(PlacesOfLibraries, AreThoseOfToolkits) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    for (const char* folder : {"lib64", "lib"}) {
      const std::string root = std::string(variable) + folder;
      const std::string file = make(root + "/" + folder + "/libmissing.so.12");
      EXPECT_FALSE(finds(file)) << file;
      set(variable, root);
      EXPECT_TRUE(finds(file)) << file;
    }
  }
}

TEST_F(PlacesOfLibraries, AreThoseOfWheelsInPythonEnvironments) {
  const std::string cuda13 = make("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libmissing.so.13");
  const std::string cuda12 = make("venv/lib/python3.12/site-packages/nvidia/missing/lib/libmissing.so.12");
  const std::string other = make("venv/lib/python3.12/site-packages/nvidia/other/lib/libmissing.so.12");
  EXPECT_FALSE(finds(cuda13));
  set("VIRTUAL_ENV", "venv");
  EXPECT_TRUE(finds(cuda13));
  EXPECT_TRUE(finds(cuda12));
  EXPECT_FALSE(finds(other));
  ::unsetenv("VIRTUAL_ENV");

  make("venv/bin/python3");
  EXPECT_FALSE(finds(cuda13));
  ::setenv("PATH", ("/nonexistent::" + (folder_ / "venv/bin")).c_str(), 1);
  EXPECT_TRUE(finds(cuda13));
  ::unsetenv("PATH");

  const std::string user = make("home/.local/lib/python3.11/site-packages/nvidia/cu13/lib/libmissing.so.13");
  set("HOME", "home");
  EXPECT_TRUE(finds(user));
}

TEST_F(PlacesOfLibraries, AreThoseOfConda) {
  const std::string file = make("conda/lib/libmissing.so.13");
  EXPECT_FALSE(finds(file));
  set("CONDA_PREFIX", "conda");
  EXPECT_TRUE(finds(file));
}

}  // namespace
}  // namespace kalaba::cuda

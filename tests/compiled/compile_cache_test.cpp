// Cache of compiled models: entries are used only if no other user could have written them.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "backend/cache/work_folder.hpp"
#include "backend/compiled/compiled_runner.hpp"
#include "compiled_help.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

const DeviceCode pendulum = {"#include \"" KALABA_SOURCE_DIR "/include/kalaba/systems/spherical_pendulum.hpp\"\n",
                             "kalaba::SphericalPendulum"};

/// Separate cache, and the real compiler called through a script that counts the compilations.
class ACompileCache : public testing::Test {
 protected:
  void SetUp() override {
    const FoundCompiler found = find_compiler();
    if (!found.problem.empty()) GTEST_SKIP() << found.problem;
    std::string words;
    for (const std::string& word : found.compiler.words) words += word + " ";
    write_script(folder_ / "counting", "case \"$*\" in *model.cpp*) echo once >> " + (folder_ / "count") +
                                           ";; esac\nexec " + words + "\"$@\"");
    environment_.set("KALABA_CXX", folder_ / "counting");
    environment_.set("KALABA_CACHE_DIR", cache());
  }
  std::string cache() const { return folder_ / "cache"; }
  int compilations() const {
    const Bytes lines = read_file(folder_ / "count");
    return static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
  }
  /// The single object in the cache.
  std::string object() const {
    std::string found;
    for (const auto& entry : fs::directory_iterator(cache())) {
      if (entry.path().extension() == ".so") found = entry.path();
    }
    return found;
  }
  /// Compiles in a separate process, which reports if the runner's results are as expected.
  template <class Expected>
  static bool in_a_new_process(const Expected& expected, const CompileBounds& bounds = {}) {
    const pid_t child = start_process(expected, bounds);
    return ended_well(child);
  }
  template <class Expected>
  static pid_t start_process(const Expected& expected, const CompileBounds& bounds = {}) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    CompileReport report;
    const auto runner = compile_runner(pendulum, {}, report, bounds);
    const bool good = runner != nullptr && expected(report);
    if (!good) std::fprintf(stderr, "%s\n", report.text("pendulum").c_str());
    std::printf("  %s\n", report.text("pendulum").c_str());
    std::fflush(nullptr);
    ::_exit(good ? 0 : 1);
  }
  static bool ended_well(pid_t child) {
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  static bool fresh(const CompileReport& report) { return !report.cached && report.note.empty(); }
  static bool kept(const CompileReport& report) {
    std::printf("  warm: %.3f s\n", report.seconds);
    return report.cached;
  }

  TestFolder folder_;
  Environment environment_;
};

TEST_F(ACompileCache, CompilesOnceForManyProcesses) {
  EXPECT_TRUE(in_a_new_process(fresh));
  EXPECT_TRUE(in_a_new_process(kept));
  EXPECT_TRUE(in_a_new_process(kept));
  EXPECT_EQ(compilations(), 1);
}

TEST_F(ACompileCache, ServesProcessesThatCompileTheSameAtOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) children.push_back(start_process([](const CompileReport&) { return true; }));
  for (const pid_t child : children) EXPECT_TRUE(ended_well(child));
  EXPECT_EQ(compilations(), 1);  // one compiles, the others wait for it
  EXPECT_EQ(std::distance(fs::directory_iterator(cache()), {}), 1);
  EXPECT_TRUE(in_a_new_process(kept));
}

TEST_F(ACompileCache, IsFreedByAKilledProcessWhoseFolderGoes) {
  const std::string temporary = folder_ / "tmp";
  fs::create_directory(temporary);
  environment_.set("TMPDIR", temporary);
  const pid_t child = start_process([](const CompileReport&) { return true; });
  for (int i = 0; i < 1000 && compilations() == 0; ++i) ::usleep(10000);
  ASSERT_EQ(compilations(), 1);
  ::kill(child, SIGKILL);
  EXPECT_FALSE(ended_well(child));
  EXPECT_FALSE(fs::is_empty(temporary));
  EXPECT_TRUE(in_a_new_process(fresh));
  EXPECT_EQ(compilations(), 2);
  // The compiler of the killed process is still running and may write once more to its folder.
  ::sleep(1);
  { const WorkFolder sweeps; }
  EXPECT_TRUE(fs::is_empty(temporary));
  EXPECT_EQ(std::distance(fs::directory_iterator(cache()), {}), 1);
}

TEST_F(ACompileCache, CompilesAnewWhatIsDamagedOrPlanted) {
  ASSERT_TRUE(in_a_new_process(fresh));
  const std::string path = object();
  const Bytes whole = read_file(path);
  int expected = 1;
  const auto expect_replaced = [&] {
    EXPECT_TRUE(in_a_new_process(fresh));
    EXPECT_EQ(compilations(), ++expected);
    EXPECT_TRUE(in_a_new_process(kept));
  };
  Bytes flipped = whole;
  flipped[flipped.size() / 2] ^= 1;
  write_file(path, flipped);
  expect_replaced();
  write_file(path, Bytes(whole.begin(), whole.begin() + 1000));
  expect_replaced();
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  expect_replaced();
}

TEST_F(ACompileCache, CompilesAnewForOtherFlags) {
  ASSERT_TRUE(in_a_new_process(fresh));
  environment_.set("KALABA_CXXFLAGS", "-DKALABA_CALLS  -O1");
  const std::vector<std::string> flags = find_compiler().compiler.flags;
  EXPECT_EQ(std::vector(flags.end() - 2, flags.end()), (std::vector<std::string>{"-DKALABA_CALLS", "-O1"}));
  EXPECT_TRUE(in_a_new_process(fresh));
  EXPECT_TRUE(in_a_new_process(kept));
  EXPECT_EQ(compilations(), 2);
  environment_.set("KALABA_CXXFLAGS", "-no-such-flag");
  EXPECT_FALSE(in_a_new_process([](const CompileReport&) { return true; }));
}

TEST_F(ACompileCache, OfAFolderThatOthersMayWriteToIsNotUsed) {
  fs::create_directory(cache());
  ASSERT_EQ(::chmod(cache().c_str(), 0777), 0);
  EXPECT_TRUE(in_a_new_process(
      [&](const CompileReport& report) { return report.note == cache() + " can be written by others"; }));
  EXPECT_TRUE(fs::is_empty(cache()));
}

TEST_F(ACompileCache, ThatCannotBeMadeIsSaid) {
  write_file(cache(), {'a', ' ', 'f', 'i', 'l', 'e'});
  EXPECT_TRUE(in_a_new_process([&](const CompileReport& report) { return report.note == cache() + " is no folder"; }));
  environment_.set("KALABA_CACHE_DIR", cache() + "/below");
  EXPECT_TRUE(in_a_new_process(
      [&](const CompileReport& report) { return report.note == cache() + "/below cannot be written"; }));
}

TEST_F(ACompileCache, KnowsWhatAProcessHasLoaded) {
  CompileReport first;
  ASSERT_NE(compile_runner(pendulum, {}, first), nullptr) << first.problem;
  fs::remove_all(cache());
  CompileReport second;
  EXPECT_NE(compile_runner(pendulum, {}, second), nullptr);
  EXPECT_EQ(second.text("a"), first.text("a"));
  Options single;
  single.precision = Precision::single_precision;
  EXPECT_NE(compile_runner(pendulum, single, second), nullptr) << second.problem;
  EXPECT_FALSE(second.cached);
  EXPECT_EQ(compilations(), 2);
}

/// Short runs are compiled with few optimisations, unless the optimised code exists or the flags state a level.
TEST_F(ACompileCache, CompilesQuicklyForShortRuns) {
  const CompileBounds brief = {.seconds = 0.1};
  const auto quick = [](const CompileReport& report) {
    return report.is_quick && report.text("a").find("few optimisations") != std::string::npos;
  };
  const auto optimised = [](const CompileReport& report) { return !report.is_quick; };
  environment_.set("KALABA_CXXFLAGS", "-O1");
  EXPECT_TRUE(in_a_new_process(optimised, brief));
  environment_.set("KALABA_CXXFLAGS", "");
  EXPECT_TRUE(in_a_new_process(quick, brief));
  EXPECT_TRUE(in_a_new_process([](const CompileReport& report) { return report.is_quick && report.cached; }, brief));
  EXPECT_EQ(compilations(), 2);
  // Three short runs of a process, of 0.1 s each, are no longer short.
  EXPECT_TRUE(in_a_new_process(
      [&](const CompileReport& first) {
        CompileReport second;
        CompileReport third;
        return compile_runner(pendulum, {}, second, brief) && compile_runner(pendulum, {}, third, {.seconds = 0.2}) &&
               first.is_quick && second.is_quick && !third.is_quick && !third.cached;
      },
      brief));
  EXPECT_EQ(compilations(), 3);
  EXPECT_TRUE(in_a_new_process([](const CompileReport& report) { return !report.is_quick && report.cached; }, brief));
  EXPECT_EQ(compilations(), 3);
}

TEST_F(ACompileCache, HasOneProgramForASingleRow) {
  System one_row;
  one_row.device_code = pendulum;
  one_row.info.constraints.resize(1);
  CompileReport report;
  for (const PseudoInverse each : {PseudoInverse::svd, PseudoInverse::qr, PseudoInverse::ldlt}) {
    Options options;
    options.method.pseudo_inverse = each;
    EXPECT_NE(compile_runner(one_row, options, report), nullptr) << report.problem;
  }
  EXPECT_LE(compilations(), 1);  // or none: another test of this process has loaded it
}

}  // namespace
}  // namespace kalaba

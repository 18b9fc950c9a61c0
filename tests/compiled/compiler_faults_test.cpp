// Compilers that fail, hang, print invalid output or do not exist: the only effect is one line of output.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <future>
#include <thread>

#include "backend/compiled/compiled_runner.hpp"
#include "backend/compiled/model_source.hpp"
#include "backend/compiled/object.hpp"
#include "backend/compiled/process.hpp"
#include "backend/interruption.hpp"
#include "compiled_help.hpp"
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

const DeviceCode pendulum = {"#include \"" KALABA_SOURCE_DIR "/include/kalaba/systems/spherical_pendulum.hpp\"\n",
                             "kalaba::SphericalPendulum"};

/// Compiler that is a shell script; `$out` is its output file.
struct AFaultyCompiler : testing::Test {
  AFaultyCompiler() {
    environment_.set("KALABA_CACHE_DIR", folder_ / "cache");
    fs::create_directory(folder_ / "tmp");
    environment_.set("TMPDIR", folder_ / "tmp");
  }
  void compiler_does(const std::string& lines) {
    write_script(folder_ / "fake++",
                 "case \"$*\" in --version) echo 'fake++ 1.2.3'; exit 0;; esac\n"
                 "for word in \"$@\"; do out=$word; done\n" +
                     lines);
    environment_.set("KALABA_CXX", folder_ / "fake++");
  }
  CompileReport report_of_compiling() {
    CompileReport report;
    EXPECT_EQ(compile_runner(pendulum, {}, report), nullptr);
    EXPECT_EQ(report.problem.find('\n'), std::string::npos) << report.problem;
    EXPECT_LT(report.problem.size(), 500U);
    return report;
  }
  /// File named in the message as kept.
  static std::string kept(const std::string& problem) {
    const std::size_t at = problem.find("(kept: ");
    return at == std::string::npos ? "" : problem.substr(at + 7, problem.size() - at - 8);
  }

  TestFolder folder_;
  Environment environment_;
};

TEST_F(AFaultyCompiler, ThatIsNotThereIsNamed) {
  environment_.set("KALABA_CXX", folder_ / "nothing");
  EXPECT_EQ(report_of_compiling().problem,
            "KALABA_CXX = " + (folder_ / "nothing") + " cannot be run: No such file or directory");
  environment_.set("KALABA_CXX", "  ");
  EXPECT_EQ(report_of_compiling().problem, "KALABA_CXX =    is empty");
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
}

TEST_F(AFaultyCompiler, ThatFailsLeavesTheSource) {
  compiler_does("echo 'a line before'; echo 'model.cpp:1: error: out of paper' >&2; exit 3");
  const CompileReport report = report_of_compiling();
  const std::string expected = "g++ 1.2.3 failed with exit status 3: model.cpp:1: error: out of paper (kept: ";
  EXPECT_EQ(report.problem.substr(0, expected.size()), expected);
  const Bytes text = read_file(kept(report.problem));
  EXPECT_NE(std::string(text.begin(), text.end()).find("kalaba::SphericalPendulum"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
  EXPECT_EQ(report.text("bead"), "bead: not compiled: " + report.problem);
}

/// The level of optimisation follows the length of the code; the words of the environment follow it.
TEST_F(AFaultyCompiler, IsToldHowMuchToOptimize) {
  environment_.set("KALABA_CXXFLAGS", "-DASKED");
  const auto words_for = [&](int lines) {
    DeviceCode model = pendulum;
    model.text += std::string(static_cast<std::size_t>(lines), '\n');
    CompileReport report;
    EXPECT_EQ(compile_runner(model, {}, report), nullptr);
    std::ifstream file(folder_ / "words");
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const std::string version : {"g++ 1.2.3, Free Software Foundation", "clang 1.2.3"}) {
    const std::string path = folder_ / version.substr(0, 3);
    write_script(path, "case \"$*\" in --version) echo '" + version + "'; exit 0;; esac\necho \" $* \" > " +
                           (folder_ / "words") + "; exit 1");
    environment_.set("KALABA_CXX", path);
    const std::string few = words_for(most_lines_optimized / 2);
    EXPECT_NE(few.find(" -O2 "), std::string::npos) << few;
    EXPECT_EQ(few.find("-fno-tree-dse"), std::string::npos) << few;
    const std::string many = words_for(most_lines_optimized);
    const std::size_t level = many.find(version[0] == 'g' ? " -O1 -fno-tree-dse " : " -O2 ");
    EXPECT_LT(level, many.find(" -DASKED ")) << many;
    EXPECT_EQ(many.find(" -O", level + 3), std::string::npos) << many;
  }
}

TEST_F(AFaultyCompiler, ThatDiesIsNamed) {
  compiler_does("kill -SEGV $$");
  EXPECT_NE(report_of_compiling().problem.find("was ended by signal 11"), std::string::npos);
}

TEST_F(AFaultyCompiler, ThatWritesNonsenseIsNotBelieved) {
  for (const char* nonsense : {"echo 'this is no library' > $out", ": > $out", "printf '\\177ELF' > $out", "true",
                               "head -c 300 /proc/self/exe > $out", "head -c 5000 /proc/self/exe > $out"}) {
    compiler_does(nonsense);
    EXPECT_EQ(report_of_compiling().problem, "what g++ 1.2.3 wrote cannot be loaded: it is no shared object");
  }
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
}

TEST_F(AFaultyCompiler, ThatTalksWithoutEndIsCutShort) {
  compiler_does("head -c 10000000 /dev/zero | tr '\\0' 'x'; exit 1");
  const CompileReport report = report_of_compiling();
  EXPECT_NE(report.problem.find("failed with exit status 1: xxxx"), std::string::npos);
}

TEST_F(AFaultyCompiler, ThatHangsIsKilledWithItsChildren) {
  compiler_does("sleep 300 & echo $! > " + (folder_ / "child") + "; wait");
  const FoundCompiler found = find_compiler();
  ASSERT_EQ(found.problem, "");
  const auto begin = std::chrono::steady_clock::now();
  const CompiledObject object = compile_object(found.compiler, "", 1.0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(object.problem.substr(0, 31), "g++ 1.2.3 was killed after 1.0 ");
  std::ifstream file(folder_ / "child");
  pid_t child = 0;
  ASSERT_TRUE(file >> child);
  bool is_gone = false;
  for (int i = 0; i < 200 && !is_gone; ++i) {
    std::ifstream state("/proc/" + std::to_string(child) + "/stat");  // "… Z …" for a zombie, reaped elsewhere
    std::string number;
    std::string name;
    std::string letter;
    is_gone = !(state >> number >> name >> letter) || letter == "Z";
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(is_gone) << child;
}

TEST_F(AFaultyCompiler, ThatLeavesAChildWithItsOutputsIsNotWaitedFor) {
  compiler_does("sleep 300 & exit 1");
  const auto begin = std::chrono::steady_clock::now();
  report_of_compiling();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST_F(AFaultyCompiler, OnAFullDiskIsNotEvenAsked) {
  compiler_does("echo asked > " + (folder_ / "asked") + "; exit 1");
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit little = {100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const CompileReport report = report_of_compiling();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, old);
  EXPECT_EQ(report.problem, "the temporary folder cannot be written (TMPDIR names another)");
  EXPECT_FALSE(fs::exists(folder_ / "asked"));
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
}

TEST_F(AFaultyCompiler, ThatIsSlowHoldsUpNoOtherModel) {
  compiler_does(
      "for word in \"$@\"; do case $word in *model.cpp) model=$word;; esac; done\n"
      "grep -q SphericalPendulum \"$model\" || exit 1\n"
      "touch " +
      (folder_ / "began") + "; until [ -e " + (folder_ / "go_on") + " ]; do sleep 0.01; done; exit 1");
  auto slow = std::async(std::launch::async, [&] { return report_of_compiling(); });
  while (!fs::exists(folder_ / "began")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const DeviceCode disk = {"#include \"" KALABA_SOURCE_DIR "/include/kalaba/systems/rolling_disk.hpp\"\n",
                           "kalaba::RollingDisk"};
  auto other = std::async(std::launch::async, [&] {
    CompileReport report;
    compile_runner(disk, {}, report);
    return report.problem;
  });
  EXPECT_EQ(other.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  std::ofstream(folder_ / "go_on") << "\n";
  EXPECT_NE(other.get(), "");
  EXPECT_NE(slow.get().problem, "");
}

/// An interruption ends the compiler, the wait for another process that compiles, and the query of the version.
TEST_F(AFaultyCompiler, IsKilledByAnInterruption) {
  using Clock = std::chrono::steady_clock;
  const auto is_interrupted = [&](const std::string& what) {
    const auto begin = Clock::now();
    const Interruptible interruptible([&] { return Clock::now() - begin > std::chrono::milliseconds(200); });
    CompileReport report;
    try {
      compile_runner(pendulum, {}, report);
      ADD_FAILURE() << what << ": " << report.problem;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::interrupted) << what;
    }
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5)) << what;
  };
  compiler_does("sleep 60; exit 1");
  is_interrupted("a compilation");
  auto other = std::async(std::launch::async, [&] { is_interrupted("a compilation beside another"); });
  is_interrupted("a compilation beside another");
  other.get();
  EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
  write_script(folder_ / "fake++", "sleep 60");
  is_interrupted("a version");
}

TEST(AProcess, InheritsNoFile) {
  const int inherited = ::open("/dev/null", O_RDONLY);  // as HDF5 opens its files, without O_CLOEXEC
  const std::string name = "/proc/self/fd/" + std::to_string(inherited);
  EXPECT_TRUE(fs::exists(name));
  EXPECT_EQ(run_process({"sh", "-c", "test -e " + name}, 30).failure, "failed with exit status 1");
  ::close(inherited);
}

TEST(AProcess, GivesItsOutputsAndItsEnd) {
  const ProcessResult good = run_process({"sh", "-c", "echo one; echo two >&2; cat"}, 30);
  EXPECT_TRUE(good.succeeded) << good.failure;
  EXPECT_EQ(good.output, "one\ntwo\n");  // and there is nothing to read
  EXPECT_EQ(run_process({"sh", "-c", "exit 7"}, 30).failure, "failed with exit status 7");
}

}  // namespace
}  // namespace kalaba

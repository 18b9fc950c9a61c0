#include "backend/cache/kept_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>

#include "compiled_help.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

struct AKeptFile : testing::Test {
  TestFolder folder_;
};

TEST_F(AKeptFile, GivesBackWhatWasWritten) {
  const std::string path = folder_ / "new/folder/a.cubin";
  const std::string key(32, 'a');
  for (const Bytes& content : {Bytes{}, Bytes{'\n', '\0', '\r', '\n'}, Bytes(100'000, '\xff')}) {
    ASSERT_TRUE(write_kept_file(path, key, content));
    EXPECT_EQ(read_kept_file(path, key), content);
    EXPECT_FALSE(read_kept_file(path, std::string(32, 'b')));
  }
  EXPECT_FALSE(read_kept_file(folder_ / "none.cubin", key));
  EXPECT_FALSE(read_kept_file(folder_.path(), key));
}

TEST_F(AKeptFile, NoticesEveryLostByteAndFlippedBit) {
  const std::string path = folder_ / "small.cubin";
  const std::string key(32, 'a');
  const Bytes content = {'a', '\n', '\0', 'b'};
  ASSERT_TRUE(write_kept_file(path, key, content));
  EXPECT_EQ(read_kept_file(path, key), content);
  const Bytes whole = read_file(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(path, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    EXPECT_FALSE(read_kept_file(path, key)) << length << " bytes";
  }
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    Bytes flipped = whole;
    flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << byte % 8));
    write_file(path, flipped);
    EXPECT_FALSE(read_kept_file(path, key)) << "byte " << byte;
  }
}

TEST_F(AKeptFile, GetsPastTheTemporaryFilesOfTheKilled) {
  const std::string path = folder_ / "some.cubin";
  const std::string key(32, 'a');
  for (int i = 0; i < 50; ++i)
    write_file(path + "." + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp", {});
  EXPECT_TRUE(write_kept_file(path, key, {'x'}));
  EXPECT_EQ(read_kept_file(path, key), Bytes{'x'});
}

/// Runs the work in separate processes concurrently; each reports success or failure.
template <class Work>
void in_processes(int count, Work work) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(work(i) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}

TEST_F(AKeptFile, ShowsOtherProcessesWholeFilesOnly) {
  const std::string path = folder_ / "shared.cubin";
  const std::string key(32, 'a');
  const auto bytes_of = [](int i) { return Bytes(static_cast<std::size_t>(300'000 + i), static_cast<char>('a' + i)); };
  ASSERT_TRUE(write_kept_file(path, key, bytes_of(0)));
  in_processes(4, [&](int i) {
    for (int round = 0; round < 40; ++round) {
      if (!write_kept_file(path, key, bytes_of(i))) return false;
      const auto seen = read_kept_file(path, key);
      if (!seen || *seen != bytes_of(static_cast<int>(seen->size()) - 300'000)) return false;
    }
    return true;
  });
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(AKeptFile, IsNotBelievedWhereOthersMayWrite) {
  const std::string folder = folder_ / "cache";
  const std::string path = folder + "/some.so";
  const std::string key(32, 'a');
  const Bytes content = {'x'};
  const auto reads = [&] { return read_kept_file(path, key) == content; };
  ASSERT_TRUE(write_kept_file(path, key, content));
  EXPECT_TRUE(reads());
  EXPECT_EQ(fault_of_folder(folder), "");
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  for (const ::mode_t mode : {0664U, 0646U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_FALSE(reads());
  }
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  for (const ::mode_t mode : {0770U, 0707U}) {
    ASSERT_EQ(::chmod(folder.c_str(), mode), 0);
    EXPECT_FALSE(reads());
    EXPECT_EQ(fault_of_folder(folder), folder + " can be written by others");
  }
  ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
  EXPECT_TRUE(reads());
  fs::rename(path, folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", path);
  EXPECT_FALSE(reads()) << "a link may lead anywhere";
}

TEST_F(AKeptFile, OfAnotherUserIsNotBelieved) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const std::string folder = folder_ / "cache";
  const std::string path = folder + "/some.so";
  const std::string key(32, 'a');
  ASSERT_TRUE(write_kept_file(path, key, {'x'}));
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(read_kept_file(path, key));
  ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  EXPECT_TRUE(read_kept_file(path, key));
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(read_kept_file(path, key));
  EXPECT_EQ(fault_of_folder(folder), folder + " belongs to another user");
}

TEST_F(AKeptFile, IsNoPipe) {
  const std::string path = folder_ / "pipe.so";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(read_kept_file(path, std::string(32, 'a')));  // and does not wait for a writer
}

TEST_F(AKeptFile, GoesWhenItIsTheOldestOfTooMany) {
  const auto name = [](char digit, const char* ending) { return std::string(32, digit) + ending; };
  int age = 10;
  for (const auto& each : {name('1', ".so"), name('2', ".cubin"), name('3', ".so"), std::string("notes.so")}) {
    write_file(folder_ / each, Bytes(1000, 'x'));
    fs::last_write_time(folder_ / each, fs::file_time_type::clock::now() - std::chrono::hours(age--));
  }
  remove_oldest_kept(folder_.path(), 3000);
  EXPECT_EQ(folder_.files().size(), 4U);
  remove_oldest_kept(folder_.path(), 1500);
  EXPECT_EQ(folder_.files(), (std::set<std::string>{name('3', ".so"), "notes.so"}));
}

TEST_F(AKeptFile, LeavesNoTemporaryFilesOfTheKilledForLongerThanADay) {
  const std::string old = std::string(32, '1') + ".77-0.tmp";
  const std::string older = std::string(32, '2') + ".so.77-1.tmp";
  const std::string fresh = std::string(32, '3') + ".so.78-0.tmp";
  for (const std::string& each : {old, older, fresh, std::string("notes.tmp")}) {
    write_file(folder_ / each, Bytes(10, 'x'));
    if (each != fresh) fs::last_write_time(folder_ / each, fs::file_time_type::clock::now() - std::chrono::hours(25));
  }
  remove_oldest_kept(folder_.path(), 3000);
  EXPECT_EQ(folder_.files(), (std::set<std::string>{fresh, "notes.tmp"}));
}

TEST(TheCachesFolder, IsWhatTheEnvironmentSays) {
  Environment environment;
  environment.set("KALABA_CACHE_DIR", "/ours");
  environment.set("XDG_CACHE_HOME", "/cache");
  environment.set("HOME", "/home/me");
  EXPECT_EQ(cache_folder(), "/ours");
  environment.set("KALABA_CACHE_DIR", "");
  EXPECT_EQ(cache_folder(), "/cache/kalaba");
  environment.set("XDG_CACHE_HOME", "not/absolute");
  EXPECT_EQ(cache_folder(), "/home/me/.cache/kalaba");
  environment.set("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(cache_folder(), "/home/me/.cache/kalaba");
  environment.set("HOME", nullptr);
  EXPECT_EQ(cache_folder(), "");
}

}  // namespace
}  // namespace kalaba

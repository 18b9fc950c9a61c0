#include "backend/cuda/cubin_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "cubin_help.hpp"

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

struct ACubinFile : testing::Test {
  CubinFolder folder_;
};

TEST_F(ACubinFile, GivesBackWhatWasWritten) {
  const std::string path = folder_ / "new/folder/a.cubin";
  const std::string key(32, 'a');
  for (const Bytes& cubin : {Bytes{}, Bytes{'\n', '\0', '\r', '\n'}, Bytes(100'000, '\xff')}) {
    ASSERT_TRUE(write_cubin_file(path, key, cubin));
    EXPECT_EQ(read_cubin_file(path, key), cubin);
    EXPECT_FALSE(read_cubin_file(path, std::string(32, 'b')));
  }
  EXPECT_FALSE(read_cubin_file(folder_ / "none.cubin", key));
  EXPECT_FALSE(read_cubin_file(folder_.path(), key));
}

TEST_F(ACubinFile, NoticesEveryLostByteAndFlippedBit) {
  const std::string path = folder_ / "small.cubin";
  const std::string key(32, 'a');
  const Bytes cubin = {'a', '\n', '\0', 'b'};
  ASSERT_TRUE(write_cubin_file(path, key, cubin));
  EXPECT_EQ(read_cubin_file(path, key), cubin);
  const Bytes whole = read(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write(path, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    EXPECT_FALSE(read_cubin_file(path, key)) << length << " bytes";
  }
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    Bytes flipped = whole;
    flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << byte % 8));
    write(path, flipped);
    EXPECT_FALSE(read_cubin_file(path, key)) << "byte " << byte;
  }
}

TEST_F(ACubinFile, GetsPastTheTemporaryFilesOfTheKilled) {
  const std::string path = folder_ / "some.cubin";
  const std::string key(32, 'a');
  for (int i = 0; i < 50; ++i) write(path + "." + std::to_string(::getpid()) + "-" + std::to_string(i) + ".tmp", {});
  EXPECT_TRUE(write_cubin_file(path, key, {'x'}));
  EXPECT_EQ(read_cubin_file(path, key), Bytes{'x'});
}

/// Runs the work in processes of their own, all at once; each says whether it went well.
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

TEST_F(ACubinFile, ShowsOtherProcessesWholeFilesOnly) {
  const std::string path = folder_ / "shared.cubin";
  const std::string key(32, 'a');
  const auto content = [](int i) { return Bytes(static_cast<std::size_t>(300'000 + i), static_cast<char>('a' + i)); };
  ASSERT_TRUE(write_cubin_file(path, key, content(0)));
  in_processes(4, [&](int i) {
    for (int round = 0; round < 40; ++round) {
      if (!write_cubin_file(path, key, content(i))) return false;
      const auto seen = read_cubin_file(path, key);
      if (!seen || *seen != content(static_cast<int>(seen->size()) - 300'000)) return false;
    }
    return true;
  });
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

}  // namespace
}  // namespace kalaba::cuda

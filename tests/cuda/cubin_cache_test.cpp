#include "backend/cuda/cubin_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "backend/cache/kept_file.hpp"
#include "cubin_help.hpp"
#include "kalaba/error.hpp"

namespace kalaba::cuda {
namespace {

namespace fs = std::filesystem;

/// Separate folder, and caches that count NVRTC's compilations. A new cache object is equivalent to a new process.
class ACubinCache : public testing::Test {
 protected:
  std::string folder() const { return folder_ / "cache"; }
  fs::path file(const Source& source) const {
    return fs::path(folder()) / (cubin_key(source, compiler_identity()) + ".cubin");
  }
  CubinCache::Compiler counting() {
    return [this](const Source& source) {
      ++compilations_;
      return compile(source);
    };
  }
  Bytes in_a_new_process(const Source& source) {
    return CubinCache(folder(), compiler_identity(), counting()).cached_or_compiled(source);
  }
  /// Files in the cache's folder.
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder())) names.insert(entry.path().filename().string());
    return names;
  }

  CubinFolder folder_;
  std::atomic<int> compilations_ = 0;
};

TEST_F(ACubinCache, CompilesOnceAndKeepsOneFile) {
  const Bytes first = in_a_new_process(kernel());
  EXPECT_TRUE(is_elf(first));
  EXPECT_EQ(in_a_new_process(kernel()), first);
  EXPECT_EQ(compilations_, 1);
  EXPECT_EQ(files(), std::set<std::string>{cubin_key(kernel(), compiler_identity()) + ".cubin"});
}

TEST_F(ACubinCache, BelievesAWholeFile) {
  const Bytes planted = {'n', 'o', 't', '\0', 'a', '\n', 'c', 'u', 'b', 'i', 'n'};
  ASSERT_TRUE(write_kept_file(file(kernel()), cubin_key(kernel(), compiler_identity()), planted));
  EXPECT_EQ(in_a_new_process(kernel()), planted);
  EXPECT_EQ(compilations_, 0);
}

TEST_F(ACubinCache, RemembersWithoutAFolder) {
  CubinCache cache("", compiler_identity(), counting());
  const Bytes first = cache.cached_or_compiled(kernel());
  EXPECT_TRUE(is_elf(first));
  EXPECT_EQ(cache.cached_or_compiled(kernel()), first);
  EXPECT_EQ(compilations_, 1);
}

TEST_F(ACubinCache, HasAKeyForEverythingThatMakesACubin) {
  std::set<std::string> keys = {cubin_key(kernel(), compiler_identity())};
  EXPECT_EQ(keys.begin()->size(), 32U);
  const auto differs = [&](auto change) {
    Source source = kernel();
    change(source);
    EXPECT_TRUE(keys.insert(cubin_key(source, compiler_identity())).second);
  };
  differs([](Source& s) { s.text += " "; });
  differs([](Source& s) { s.name += "2"; });
  differs([](Source& s) { s.options = {"--gpu-architecture=sm_80"}; });
  differs([](Source& s) { s.options.push_back("-DA"); });
  differs([](Source& s) { s.options.push_back("-D"), s.options.push_back("A"); });
  EXPECT_EQ(cubin_key(kernel(), compiler_identity()), cubin_key(kernel(), compiler_identity()));
}

TEST_F(ACubinCache, KeepsSourcesApart) {
  Source other = kernel();
  other.text = "extern \"C\" __global__ void thrice(double* x) { x[threadIdx.x] *= 3; }";
  const Bytes first = in_a_new_process(kernel());
  EXPECT_NE(in_a_new_process(other), first);
  EXPECT_EQ(in_a_new_process(kernel()), first);
  EXPECT_EQ(compilations_, 2);
}

TEST_F(ACubinCache, DropsWhatHasNotBeenUsedForLongest) {
  const auto source = [](int number) {
    Source source = kernel();
    source.text += std::string(static_cast<std::size_t>(number), ' ');
    return source;
  };
  const auto kilobyte = [this](const Source& /*source*/) {
    ++compilations_;
    return Bytes(1000, 'x');
  };
  const auto get = [&](int number) {
    CubinCache(folder(), compiler_identity(), kilobyte, 3500).cached_or_compiled(source(number));
  };
  for (const int number : {1, 2, 3}) {
    get(number);
    fs::last_write_time(file(source(number)), fs::file_time_type::clock::now() - std::chrono::hours(10 - number));
  }
  write(fs::path(folder()) / "notes.cubin", Bytes(9000, 'n'));  // not the cache's
  get(1);                                                       // so that the second is the oldest
  get(4);
  EXPECT_EQ(compilations_, 4);
  std::set<std::string> left = {"notes.cubin"};
  for (const int number : {1, 3, 4}) left.insert(cubin_key(source(number), compiler_identity()) + ".cubin");
  EXPECT_EQ(files(), left);
}

/// Damages a valid file; the cache must compile again and replace it by a valid file.
class ADamagedCubin : public ACubinCache {
 protected:
  template <class Damage>
  void expect_recompiled(Damage damage) {
    const Bytes good = in_a_new_process(kernel());
    const Bytes whole = read(file(kernel()));
    ASSERT_FALSE(whole.empty());
    Bytes bytes = whole;
    damage(bytes);
    write(file(kernel()), bytes);
    EXPECT_EQ(in_a_new_process(kernel()), good);
    EXPECT_EQ(compilations_, 2);
    EXPECT_EQ(read(file(kernel())), whole);
    EXPECT_EQ(in_a_new_process(kernel()), good);
    EXPECT_EQ(compilations_, 2);
  }
};

TEST_F(ADamagedCubin, TruncatedIsReplaced) {
  expect_recompiled([](Bytes& bytes) { bytes.pop_back(); });
}
TEST_F(ADamagedCubin, LongerIsReplaced) {
  expect_recompiled([](Bytes& bytes) { bytes.push_back('\0'); });
}
TEST_F(ADamagedCubin, WithOneBitFlippedIsReplaced) {
  expect_recompiled([](Bytes& bytes) { bytes[bytes.size() / 2] ^= 1; });
}
TEST_F(ADamagedCubin, EmptyIsReplaced) {
  expect_recompiled([](Bytes& bytes) { bytes.clear(); });
}
TEST_F(ADamagedCubin, ForeignIsReplaced) {
  expect_recompiled([](Bytes& bytes) { bytes = {'h', 'e', 'l', 'l', 'o', '\n', 'y', 'o', 'u', '\n'}; });
}
TEST_F(ADamagedCubin, OfAnotherKeyIsReplaced) {
  const std::string other = folder_ / "other.cubin";
  ASSERT_TRUE(write_kept_file(other, std::string(32, '0'), {'x'}));
  expect_recompiled([&](Bytes& bytes) { bytes = read(other); });
}
TEST_F(ADamagedCubin, OfAnotherFormatIsReplaced) {
  expect_recompiled([](Bytes& bytes) { ++*std::find(bytes.begin(), bytes.end(), '1'); });
}

TEST_F(ACubinCache, CompilesWhereTheFolderCannotBeMade) {
  write(folder(), {'a', ' ', 'f', 'i', 'l', 'e'});
  CubinCache cache(folder() + "/below", compiler_identity(), counting());
  EXPECT_TRUE(is_elf(cache.cached_or_compiled(kernel())));
  EXPECT_EQ(compilations_, 1);
}

TEST_F(ACubinCache, CompilesWhereTheFolderCannotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root can write anywhere";
  fs::create_directory(folder());
  fs::permissions(folder(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_TRUE(is_elf(in_a_new_process(kernel())));
  EXPECT_TRUE(files().empty());
}

TEST_F(ACubinCache, CompilesWhereAFolderLiesInTheFilesPlaceAndLeavesNothing) {
  fs::create_directories(file(kernel()) / "occupied");
  EXPECT_TRUE(is_elf(in_a_new_process(kernel())));
  EXPECT_EQ(files(), std::set<std::string>{cubin_key(kernel(), compiler_identity()) + ".cubin"});
}

TEST_F(ACubinCache, CompilesOnceForManyThreads) {
  CubinCache cache(folder(), compiler_identity(), counting());
  std::vector<Bytes> cubins(4);
  {
    std::vector<std::jthread> threads;
    for (Bytes& cubin : cubins) threads.emplace_back([&] { cubin = cache.cached_or_compiled(kernel()); });
  }
  EXPECT_EQ(compilations_, 1);
  EXPECT_TRUE(is_elf(cubins[0]));
  for (const Bytes& cubin : cubins) EXPECT_EQ(cubin, cubins[0]);
}

TEST_F(ACubinCache, KeepsNoFailure) {
  Source broken = kernel();
  broken.text = "nothing that compiles";
  for (int i = 0; i < 2; ++i) EXPECT_THROW(in_a_new_process(broken), Error);
  CubinCache cache(folder(), compiler_identity(), counting());
  for (int i = 0; i < 2; ++i) EXPECT_THROW(cache.cached_or_compiled(broken), Error);
  EXPECT_EQ(compilations_, 4);
  EXPECT_FALSE(fs::exists(folder()));
}

/// Sets environment variables for one test; nullptr removes a variable.
class Environment {
 public:
  void set(const std::string& name, const char* value) {
    const char* const before = std::getenv(name.c_str());
    before_.try_emplace(name, before != nullptr ? std::optional<std::string>(before) : std::nullopt);
    put(name, value);
  }
  ~Environment() {
    for (const auto& [name, value] : before_) put(name, value ? value->c_str() : nullptr);
  }

 private:
  static void put(const std::string& name, const char* value) {
    value != nullptr ? ::setenv(name.c_str(), value, 1) : ::unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(ACubinCache, OfTheProcessIsInThatFolder) {
  Environment environment;
  environment.set("KALABA_CACHE_DIR", folder().c_str());
  const Bytes cubin = cached_or_compiled(kernel());
  EXPECT_TRUE(is_elf(cubin));
  EXPECT_EQ(read_kept_file(file(kernel()), cubin_key(kernel(), compiler_identity())), cubin);
  fs::remove_all(folder());
  EXPECT_EQ(cached_or_compiled(kernel()), cubin);
  EXPECT_FALSE(fs::exists(folder()));
}

}  // namespace
}  // namespace kalaba::cuda

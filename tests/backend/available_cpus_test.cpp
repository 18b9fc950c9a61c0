#include "kalaba/backend/available_cpus.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "kalaba/backend/parallel.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Folder that replaces the root of the file system.
class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (fs::temp_directory_path() / "kalaba-cpus-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~FakeRoot() { fs::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& with(const std::string& file, const std::string& text) {
    fs::create_directories((path_ + file).substr(0, (path_ + file).rfind('/')));
    std::ofstream(path_ + file) << text << '\n';
    return *this;
  }
  double quota() const { return cpu_quota(path_); }

 private:
  std::string path_;
};

constexpr const char* version_2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
constexpr const char* version_1 = "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct";

TEST(CpuQuota, IsNoneWithoutControlGroups) {
  EXPECT_EQ(FakeRoot().quota(), unlimited);
  EXPECT_EQ(FakeRoot().with("/proc/self/cgroup", "0::/a").with("/proc/self/mountinfo", "nonsense").quota(), unlimited);
}

TEST(CpuQuota, IsThatOfVersion2) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "0::/job").with("/proc/self/mountinfo", version_2);
  EXPECT_EQ(root.quota(), unlimited);
  EXPECT_EQ(root.with("/sys/fs/cgroup/job/cpu.max", "max 100000").quota(), unlimited);
  EXPECT_EQ(root.with("/sys/fs/cgroup/job/cpu.max", "150000 100000").quota(), 1.5);
}

TEST(CpuQuota, IsTheLeastOfTheGroupsAround) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "0::/slice/job/step").with("/proc/self/mountinfo", version_2);
  root.with("/sys/fs/cgroup/slice/job/step/cpu.max", "400000 100000");
  root.with("/sys/fs/cgroup/slice/cpu.max", "200000 100000");
  EXPECT_EQ(root.quota(), 2);
}

TEST(CpuQuota, IsThatOfVersion1) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "5:memory:/other\n4:cpu,cpuacct:/job\n0::/").with("/proc/self/mountinfo", version_1);
  root.with("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000");
  EXPECT_EQ(root.with("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "-1").quota(), unlimited);
  EXPECT_EQ(root.with("/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000").quota(), 0.5);
}

TEST(CpuQuota, IsFoundInAContainerThatIsToldThePathOfTheMachine) {
  FakeRoot root;
  root.with("/proc/self/cgroup", "4:cpu,cpuacct:/docker/abc")
      .with("/proc/self/mountinfo", "33 31 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct")
      .with("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000")
      .with("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000");
  EXPECT_EQ(root.quota(), 3);
  EXPECT_EQ(FakeRoot()
                .with("/proc/self/cgroup", "0::/../../other")
                .with("/proc/self/mountinfo", version_2)
                .with("/sys/fs/cgroup/cpu.max", "100000 100000")
                .quota(),
            1);
}

TEST(AvailableCpus, AreThoseOfTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  std::thread([&] {  // whose mask is its own
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(available_cpus(), 1);
    EXPECT_EQ(thread_count(0), 1);
    EXPECT_EQ(thread_count(3), 3);
  })
      .join();
  EXPECT_LE(available_cpus(), CPU_COUNT(&before));
  EXPECT_GE(available_cpus(), 1);
}

}  // namespace
}  // namespace kalaba

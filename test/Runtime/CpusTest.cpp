// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many CPUs a process may use, with control groups in a folder of the test.

#include "runtime/Internal.h"

#include <gtest/gtest.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

class Cpus : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "cpusXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root = pattern;
    cpu_set_t set;
    ASSERT_EQ(0, sched_getaffinity(0, sizeof(set), &set));
    all = CPU_COUNT(&set);
    write("group", "0::/\n");
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string &name, const std::string &text) {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }

  int count() const {
    return heddle_available_cpus((root / "group").c_str(), root.c_str());
  }

  std::filesystem::path root;
  int all = 0; ///< that this process may run on
};

TEST_F(Cpus, WithoutQuota) {
  EXPECT_EQ(count(), all);
  write("cpu.max", "max 100000\n");
  EXPECT_EQ(count(), all);
  EXPECT_EQ(heddle_available_cpus("/nothing", "/nothing"), all);
}

TEST_F(Cpus, QuotaIsRoundedDownToWholeCpus) {
  write("cpu.max", "100000 100000\n");
  EXPECT_EQ(count(), 1);
  write("cpu.max", "199999 100000\n");
  EXPECT_EQ(count(), 1);
  write("cpu.max", "200000 100000\n");
  EXPECT_EQ(count(), std::min(2, all));
  write("cpu.max", "5000 100000\n");
  EXPECT_EQ(count(), 1);
}

TEST_F(Cpus, QuotaOfTheGroupAndOfThoseAround) {
  write("group", "1:cpu:/old\n0::/a/b\n");
  write("a/b/cpu.max", "max 100000\n");
  write("a/cpu.max", "50000 50000\n");
  EXPECT_EQ(count(), 1);
  write("a/cpu.max", "max 100000\n");
  EXPECT_EQ(count(), all);
  write("a/b/cpu.max", "100000 100000\n");
  EXPECT_EQ(count(), 1);
}

// The name may be that outside of the container.
TEST_F(Cpus, GroupThatIsNotThere) {
  write("group", "0::/docker/1234\n");
  write("cpu.max", "100000 100000\n");
  EXPECT_EQ(count(), 1);
}

TEST_F(Cpus, QuotaOfVersion1) {
  write("cpu/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(count(), all);
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(count(), 1);
  write("cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(count(), all);
}

TEST_F(Cpus, TextThatIsNoQuotaIsNone) {
  for (const char *text : {"", "\n", "many\n", "100000\n", "100000 0\n",
                           "-5 100000\n", "9223372036854775807 1\n"}) {
    write("cpu.max", text);
    EXPECT_EQ(count(), all) << text;
  }
}

} // namespace

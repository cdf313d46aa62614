// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Target/MachineModel.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;
using testing::Not;

// A machine with tile registers.
static const HostCpu host = {"sapphirerapids",
                             "+avx2,+fma,-avx512f,+amx-tile,+amx-int8"};

static std::string featuresOf(llvm::StringRef cpu) {
  return llvm::cantFail(MachineModel::forCpu(cpu, host)).features;
}

TEST(MachineModelTest, NativeIsTheHost) {
  auto machine = llvm::cantFail(MachineModel::forCpu("native", host));
  EXPECT_EQ(machine.cpu, "sapphirerapids");
  EXPECT_FALSE(machine.hasAVX512);
}

TEST(MachineModelTest, OtherCpusAreNotTheHost) {
  auto machine = llvm::cantFail(MachineModel::forCpu("icelake-server", host));
  EXPECT_EQ(machine.cpu, "icelake-server");
  EXPECT_TRUE(machine.hasAVX512);
}

TEST(MachineModelTest, TileRegistersAreForKernelsWithVectorsAsLarge) {
  auto rowsOf = [](llvm::StringRef cpu) {
    return llvm::cantFail(MachineModel::forCpu(cpu, host)).tileRegisterRows;
  };
  EXPECT_EQ(rowsOf("sapphirerapids"), 16);
  EXPECT_THAT(featuresOf("sapphirerapids"), HasSubstr("+amx-tile"));
  for (llvm::StringRef cpu :
       {"native", "sapphirerapids,-amx-int8", "sapphirerapids,-avx512f"}) {
    EXPECT_EQ(rowsOf(cpu), 0) << cpu.str();
    EXPECT_THAT(featuresOf(cpu), HasSubstr("-amx-tile")) << cpu.str();
    EXPECT_THAT(featuresOf(cpu), Not(HasSubstr("+amx"))) << cpu.str();
  }
  EXPECT_EQ(rowsOf("znver5"), 0);
}

TEST(MachineModelTest, PairsAreMultipliedWhereThatIsFast) {
  auto termsOf = [](llvm::StringRef cpu) {
    return llvm::cantFail(MachineModel::forCpu(cpu, host)).bfloatTerms;
  };
  EXPECT_EQ(termsOf("znver4"), 2);
  EXPECT_EQ(termsOf("znver5"), 2);
  EXPECT_EQ(termsOf("znver5,-avx512bf16"), 1);
  EXPECT_EQ(termsOf("znver3"), 1);
  EXPECT_EQ(termsOf("sapphirerapids"), 1);
}

TEST(MachineModelTest, TheUsersChangesAreLast) {
  EXPECT_THAT(featuresOf("native,+amx-tile"), HasSubstr("+amx-tile"));
  EXPECT_THAT(featuresOf("native,+avx512f"), HasSubstr("+avx512f"));
}

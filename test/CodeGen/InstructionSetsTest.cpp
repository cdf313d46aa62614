// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that an object asks of a CPU.

#include "compiler/CodeGen/AbiTypes.h"
#include "compiler/Target/MachineModel.h"

#include "llvm/ADT/StringSet.h"
#include <gtest/gtest.h>

using namespace heddle;

// Intrinsics alone have these, and no kernel has such.
static const llvm::StringSet<> kForIntrinsics = {
    "64bit",      "64bit-mode", "adx",        "aes",         "amx-bf16",
    "amx-fp16",   "amx-int8",   "amx-tile",   "amx-complex", "cldemote",
    "clflushopt", "clwb",       "clzero",     "cmov",        "cmpccxadd",
    "crc32",      "cx16",       "cx8",        "enqcmd",      "evex512",
    "fsgsbase",   "fxsr",       "hreset",     "invpcid",     "kl",
    "mmx",        "movdir64b",  "movdiri",    "movrs",       "mwaitx",
    "nopl",       "pclmul",     "pconfig",    "pku",         "prefetchi",
    "prfchw",     "ptwrite",    "raoint",     "rdpid",       "rdpru",
    "rdrnd",      "rdseed",     "rtm",        "sahf",        "serialize",
    "sgx",        "sha",        "sha512",     "shstk",       "sm3",
    "sm4",        "sse",        "sse2",       "tsxldtrk",    "uintr",
    "usermsr",    "vaes",       "vpclmulqdq", "waitpkg",     "wbnoinvd",
    "widekl",     "x87",        "xsave",      "xsavec",      "xsaveopt",
    "xsaves"};

// Whether LLVM names how fast something is, and no instructions.
static bool isTuning(llvm::StringRef feature) {
  return feature.contains("fast") || feature.contains("slow") ||
         feature.contains("false-deps") || feature.contains("fusion") ||
         feature.contains("bypass") || feature.contains("256") ||
         feature.contains("to-div") || feature.starts_with("prefer-") ||
         feature == "ermsb" || feature == "fsrm" || feature == "vzeroupper" ||
         feature.starts_with("sbb-") || feature.starts_with("tuning-") ||
         feature == "branch-hint" || feature.starts_with("tagged-") ||
         feature == "lvi-cfi" || feature.starts_with("use-");
}

// Every instruction that LLVM may choose by itself is asked for.
TEST(InstructionSetsTest, NothingIsLeftOut) {
  HostCpu host = {"x86-64-v3", ""};
  for (const char *cpu : {"znver4", "znver5", "sapphirerapids", "arrowlake",
                          "sierraforest", "graniterapids", "haswell"}) {
    auto machine = llvm::cantFail(MachineModel::forCpu(cpu, host));
    std::string asked = instructionSets(machine.features, /*withTiles=*/true);
    llvm::SmallVector<llvm::StringRef> all, known;
    llvm::StringRef(machine.features).split(all, ',');
    llvm::StringRef(asked).split(known, ',');
    for (llvm::StringRef feature : all)
      if (feature.consume_front("+") && !kForIntrinsics.contains(feature) &&
          !isTuning(feature))
        EXPECT_TRUE(llvm::is_contained(known, feature))
            << cpu << ": " << feature.str();
  }
}

// Objects for AMD's CPUs run on Intel's, too.
TEST(InstructionSetsTest, NoneThatIsAmdsAlone) {
  HostCpu host = {"x86-64-v3", ""};
  auto machine = llvm::cantFail(MachineModel::forCpu("znver5", host));
  EXPECT_EQ(instructionSets(machine.features, false).find("sse4a"),
            std::string::npos);
}

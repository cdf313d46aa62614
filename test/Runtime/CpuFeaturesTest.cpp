// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LLVM's names of CPU features against what CPUID says.

#include "runtime/Internal.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

std::string missing(const heddle_cpu &cpu, const char *features,
                    size_t size = 256) {
  std::string text(size, '?');
  heddle_cpu_missing(&cpu, features, &text[0], size);
  return text.substr(0, text.find('\0'));
}

heddle_cpu everyCpu() {
  heddle_cpu cpu;
  std::memset(&cpu, 0xff, sizeof(cpu));
  return cpu;
}

// What `clang -mcpu=` says of these CPUs, so that no name of LLVM's is unknown.
const char *const kZnver5 =
    "adx,aes,avx,avx2,avx512bf16,avx512bitalg,avx512bw,avx512cd,avx512dq,"
    "avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,avx512vnni,"
    "avx512vp2intersect,avx512vpopcntdq,avxvnni,bmi,bmi2,clflushopt,clwb,"
    "clzero,crc32,cx16,cx8,f16c,fma,fsgsbase,fxsr,gfni,invpcid,lzcnt,mmx,movbe,"
    "movdir64b,movdiri,mwaitx,pclmul,pku,popcnt,prefetchi,prfchw,rdpid,rdpru,"
    "rdrnd,rdseed,sahf,sha,shstk,sse,sse2,sse3,sse4.1,sse4.2,sse4a,ssse3,vaes,"
    "vpclmulqdq,wbnoinvd,x87,xsave,xsavec,xsaveopt,xsaves";
const char *const kSapphireRapids =
    "amx-bf16,amx-int8,amx-tile,avx512fp16,cldemote,cmov,enqcmd,pconfig,"
    "ptwrite,serialize,sgx,tsxldtrk,uintr,waitpkg";

const char *const kNovaLake =
    "avx10.1,avx10.2,ccmp,cf,egpr,ndd,nf,ppx,push2pop2,zu";

TEST(CpuFeatures, AllNamesAreKnown) {
  EXPECT_EQ(missing(everyCpu(), kNovaLake), "");
  EXPECT_EQ(missing(everyCpu(), kZnver5), "");
  EXPECT_EQ(missing(everyCpu(), kSapphireRapids), "");
}

TEST(CpuFeatures, NothingIsRequired) {
  EXPECT_EQ(missing(heddle_cpu(), ""), "");
  EXPECT_EQ(missing(heddle_cpu(), nullptr), "");
  EXPECT_EQ(missing(heddle_cpu(), "sse2,cmov,64bit,rdrnd"), "");
}

TEST(CpuFeatures, MissingOnesAreListedInOrder) {
  heddle_cpu cpu = everyCpu();
  cpu.words[HEDDLE_CPUID_7_EDX] &= ~(1u << 8);
  cpu.words[HEDDLE_CPUID_7_1_EAX] &= ~(1u << 5);
  EXPECT_EQ(missing(cpu, kZnver5), "avx512bf16, avx512vp2intersect");
}

TEST(CpuFeatures, UnknownNamesAreMissing) {
  EXPECT_EQ(missing(everyCpu(), "avx2,avx2x,avx,av"), "avx2x, av");
}

TEST(CpuFeatures, ListIsCutOffAtTheBuffersSize) {
  char text[8];
  EXPECT_EQ(heddle_cpu_missing(std::vector<heddle_cpu>(1).data(),
                               "avx2,fma,f16c,sse3", text, sizeof(text)),
            4u);
  EXPECT_STREQ(text, "avx2, f");
}

TEST(CpuFeatures, RegistersMustBeSavedBySystem) {
  heddle_cpu cpu = everyCpu();
  const char *features = "sse4.2,bmi2,fma,avx2,avx512f,avx512bf16,amx-tile";
  cpu.saved_state = 0x600e7; // everything
  EXPECT_EQ(missing(cpu, features), "");
  cpu.saved_state = 0xe7; // no tiles
  EXPECT_EQ(missing(cpu, features), "amx-tile");
  EXPECT_EQ(missing(cpu, "avx10.2,egpr"), "egpr"); // nor registers 16 to 31
  cpu.saved_state = 0x7;                           // nor 512 bits
  EXPECT_EQ(missing(cpu, features), "avx512f, avx512bf16, amx-tile");
  cpu.saved_state = 0x3; // SSE alone
  EXPECT_EQ(missing(cpu, features), "fma, avx2, avx512f, avx512bf16, amx-tile");
}

#if defined(__x86_64__)
TEST(CpuFeatures, DetectionAgreesWithTheCompilers) {
  heddle_cpu cpu;
  heddle_cpu_detect(&cpu);
#define EXPECT_AGREES(name)                                                    \
  EXPECT_EQ(missing(cpu, name).empty(), __builtin_cpu_supports(name) != 0)     \
      << name
  EXPECT_AGREES("sse4.2");
  EXPECT_AGREES("popcnt");
  EXPECT_AGREES("avx");
  EXPECT_AGREES("avx2");
  EXPECT_AGREES("fma");
  EXPECT_AGREES("bmi2");
  EXPECT_AGREES("avx512f");
  EXPECT_AGREES("avx512vl");
  EXPECT_AGREES("avx512vnni");
  EXPECT_AGREES("avx512vbmi2");
  EXPECT_AGREES("gfni");
}
#endif

} // namespace

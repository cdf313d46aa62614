/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Can this CPU run an object that was compiled for these LLVM features?
 *
 * Bits are those of the Intel SDM, volume 2, CPUID, and of the AMD APM, volume
 * 3, appendix E; which of them also need saved registers follows SDM volume 1,
 * sections 14.3, 15.2 and 18.2. On other architectures than x86-64 every object
 * counts as fitting.
 */
#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

/* Register sets in XCR0: SSE and AVX; these, masks and ZMM; tiles; the general
 * registers 16 to 31. */
enum {
  SAVES_AVX = 0x6,
  SAVES_AVX512 = 0xe6,
  SAVES_TILES = 0x60000,
  SAVES_APX = 0x80000
};

typedef struct feature {
  const char *name;
  uint8_t word;
  uint8_t bit;
  uint32_t state; /* what the operating system must save */
} feature;

/* Everything that LLVM may use without being asked by an intrinsic, and what
 * Halide's and MLIR's intrinsics reach. */
static const feature features_known[] = {
    {"sse3", HEDDLE_CPUID_1_ECX, 0, 0},
    {"pclmul", HEDDLE_CPUID_1_ECX, 1, 0},
    {"ssse3", HEDDLE_CPUID_1_ECX, 9, 0},
    {"fma", HEDDLE_CPUID_1_ECX, 12, SAVES_AVX},
    {"cx16", HEDDLE_CPUID_1_ECX, 13, 0},
    {"sse4.1", HEDDLE_CPUID_1_ECX, 19, 0},
    {"sse4.2", HEDDLE_CPUID_1_ECX, 20, 0},
    {"crc32", HEDDLE_CPUID_1_ECX, 20, 0},
    {"movbe", HEDDLE_CPUID_1_ECX, 22, 0},
    {"popcnt", HEDDLE_CPUID_1_ECX, 23, 0},
    {"aes", HEDDLE_CPUID_1_ECX, 25, 0},
    {"avx", HEDDLE_CPUID_1_ECX, 28, SAVES_AVX},
    {"f16c", HEDDLE_CPUID_1_ECX, 29, SAVES_AVX},
    {"sahf", HEDDLE_CPUID_80000001_ECX, 0, 0},
    {"lzcnt", HEDDLE_CPUID_80000001_ECX, 5, 0},
    {"sse4a", HEDDLE_CPUID_80000001_ECX, 6, 0},
    {"prfchw", HEDDLE_CPUID_80000001_ECX, 8, 0},
    {"xop", HEDDLE_CPUID_80000001_ECX, 11, SAVES_AVX},
    {"fma4", HEDDLE_CPUID_80000001_ECX, 16, SAVES_AVX},
    {"tbm", HEDDLE_CPUID_80000001_ECX, 21, 0},
    {"bmi", HEDDLE_CPUID_7_EBX, 3, 0},
    {"avx2", HEDDLE_CPUID_7_EBX, 5, SAVES_AVX},
    {"bmi2", HEDDLE_CPUID_7_EBX, 8, 0},
    {"avx512f", HEDDLE_CPUID_7_EBX, 16, SAVES_AVX512},
    {"avx512dq", HEDDLE_CPUID_7_EBX, 17, SAVES_AVX512},
    {"adx", HEDDLE_CPUID_7_EBX, 19, 0},
    {"avx512ifma", HEDDLE_CPUID_7_EBX, 21, SAVES_AVX512},
    {"avx512cd", HEDDLE_CPUID_7_EBX, 28, SAVES_AVX512},
    {"sha", HEDDLE_CPUID_7_EBX, 29, 0},
    {"avx512bw", HEDDLE_CPUID_7_EBX, 30, SAVES_AVX512},
    {"avx512vl", HEDDLE_CPUID_7_EBX, 31, SAVES_AVX512},
    {"avx512vbmi", HEDDLE_CPUID_7_ECX, 1, SAVES_AVX512},
    {"avx512vbmi2", HEDDLE_CPUID_7_ECX, 6, SAVES_AVX512},
    {"gfni", HEDDLE_CPUID_7_ECX, 8, 0},
    {"vaes", HEDDLE_CPUID_7_ECX, 9, SAVES_AVX},
    {"vpclmulqdq", HEDDLE_CPUID_7_ECX, 10, SAVES_AVX},
    {"avx512vnni", HEDDLE_CPUID_7_ECX, 11, SAVES_AVX512},
    {"avx512bitalg", HEDDLE_CPUID_7_ECX, 12, SAVES_AVX512},
    {"avx512vpopcntdq", HEDDLE_CPUID_7_ECX, 14, SAVES_AVX512},
    {"movdiri", HEDDLE_CPUID_7_ECX, 27, 0},
    {"movdir64b", HEDDLE_CPUID_7_ECX, 28, 0},
    {"avx512vp2intersect", HEDDLE_CPUID_7_EDX, 8, SAVES_AVX512},
    {"amx-bf16", HEDDLE_CPUID_7_EDX, 22, SAVES_TILES},
    {"avx512fp16", HEDDLE_CPUID_7_EDX, 23, SAVES_AVX512},
    {"amx-tile", HEDDLE_CPUID_7_EDX, 24, SAVES_TILES},
    {"amx-int8", HEDDLE_CPUID_7_EDX, 25, SAVES_TILES},
    {"sha512", HEDDLE_CPUID_7_1_EAX, 0, SAVES_AVX},
    {"sm3", HEDDLE_CPUID_7_1_EAX, 1, SAVES_AVX},
    {"sm4", HEDDLE_CPUID_7_1_EAX, 2, SAVES_AVX},
    {"avxvnni", HEDDLE_CPUID_7_1_EAX, 4, SAVES_AVX},
    {"avx512bf16", HEDDLE_CPUID_7_1_EAX, 5, SAVES_AVX512},
    {"cmpccxadd", HEDDLE_CPUID_7_1_EAX, 7, 0},
    {"amx-fp16", HEDDLE_CPUID_7_1_EAX, 21, SAVES_TILES},
    {"avxifma", HEDDLE_CPUID_7_1_EAX, 23, SAVES_AVX},
    {"avxvnniint8", HEDDLE_CPUID_7_1_EDX, 4, SAVES_AVX},
    {"avxneconvert", HEDDLE_CPUID_7_1_EDX, 5, SAVES_AVX},
    {"amx-complex", HEDDLE_CPUID_7_1_EDX, 8, SAVES_TILES},
    {"avxvnniint16", HEDDLE_CPUID_7_1_EDX, 10, SAVES_AVX},
    {"avx10.1", HEDDLE_CPUID_AVX10, 1, SAVES_AVX512},
    {"avx10.2", HEDDLE_CPUID_AVX10, 2, SAVES_AVX512},
    /* LLVM names the parts of APX, which CPUs have all or none of. */
    {"egpr", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
    {"push2pop2", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
    {"ppx", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
    {"ndd", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
    {"ccmp", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
    {"nf", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
    {"cf", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
    {"zu", HEDDLE_CPUID_7_1_EDX, 21, SAVES_APX},
};

/* Part of every x86-64, or of no use to a model: LLVM emits these only for
 * intrinsics that no kernel has. */
static const char *const features_irrelevant[] = {
    "64bit",     "64bit-mode", "cldemote", "clflushopt", "clwb",
    "clzero",    "cmov",       "cx8",      "enqcmd",     "ermsb",
    "evex512",   "fsgsbase",   "fsrm",     "fxsr",       "hreset",
    "invpcid",   "kl",         "lwp",      "mmx",        "mwaitx",
    "nopl",      "pconfig",    "pku",      "prefetchi",  "ptwrite",
    "rdpid",     "rdpru",      "rdrnd",    "rdseed",     "rtm",
    "serialize", "sgx",        "shstk",    "sse",        "sse2",
    "tsxldtrk",  "uintr",      "usermsr",  "vzeroupper", "waitpkg",
    "wbnoinvd",  "widekl",     "x87",      "xsave",      "xsavec",
    "xsaveopt",  "xsaves",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool same(const char *name, const char *text, size_t length) {
  return strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool has_feature(const heddle_cpu *cpu, const char *text,
                        size_t length) {
  for (size_t i = 0; i < COUNT(features_known); ++i) {
    const feature *known = &features_known[i];
    if (same(known->name, text, length))
      return (cpu->words[known->word] >> known->bit & 1) != 0 &&
             (cpu->saved_state & known->state) == known->state;
  }
  for (size_t i = 0; i < COUNT(features_irrelevant); ++i)
    if (same(features_irrelevant[i], text, length))
      return true;
  return false;
}

size_t heddle_cpu_missing(const heddle_cpu *cpu, const char *features,
                          char *missing, size_t size) {
  size_t count = 0;
  size_t used = 0;
  if (size > 0)
    missing[0] = '\0';
  while (features && *features) {
    size_t length = strcspn(features, ",");
    if (length > 0 && !has_feature(cpu, features, length)) {
      if (used < size) {
        int written = snprintf(missing + used, size - used, "%s%.*s",
                               count ? ", " : "", (int)length, features);
        used += written > 0 ? (size_t)written : 0;
      }
      ++count;
    }
    features += length;
    features += *features == ',';
  }
  return count;
}

#if defined(__x86_64__)

void heddle_cpu_detect(heddle_cpu *cpu) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  memset(cpu, 0, sizeof(*cpu));
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
    return;
  cpu->words[HEDDLE_CPUID_1_ECX] = ecx;
  /* XGETBV exists where the operating system has set OSXSAVE. */
  if (ecx >> 27 & 1) {
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    cpu->saved_state = low;
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    cpu->words[HEDDLE_CPUID_7_EBX] = ebx;
    cpu->words[HEDDLE_CPUID_7_ECX] = ecx;
    cpu->words[HEDDLE_CPUID_7_EDX] = edx;
    /* Some CPUs answer subleaves they do not have: eax is the highest one. */
    if (eax >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) {
      cpu->words[HEDDLE_CPUID_7_1_EAX] = eax;
      cpu->words[HEDDLE_CPUID_7_1_EDX] = edx;
      /* Each version of AVX10 has all of those before it. */
      if (edx >> 19 & 1 && __get_cpuid_count(0x24, 0, &eax, &ebx, &ecx, &edx))
        for (unsigned version = 1; version <= (ebx & 0xff) && version < 32;
             ++version)
          cpu->words[HEDDLE_CPUID_AVX10] |= UINT32_C(1) << version;
    }
  }
  if (__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx))
    cpu->words[HEDDLE_CPUID_80000001_ECX] = ecx;
}

/* Linux saves the tile registers only for processes that asked once; a kernel
 * that refuses means that the first tile instruction would trap. Returns why
 * it refuses, or 0. */
static int permit_tiles(const char *features) {
#if defined(__linux__)
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  if (features && strstr(features, "amx-tile") &&
      syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) != 0)
    return errno;
#else
  (void)features;
#endif
  return 0;
}

heddle_status heddle_check_cpu(const heddle_model *model, heddle_error *error) {
  heddle_cpu cpu;
  char missing[256];
  heddle_cpu_detect(&cpu);
  if (heddle_cpu_missing(&cpu, model->cpu_features, missing, sizeof(missing)))
    return heddle_fail(error, HEDDLE_UNSUPPORTED_CPU,
                       "model '%s' was compiled for CPU '%s'; this CPU or "
                       "system lacks %s",
                       model->name, model->target_cpu, missing);
  int refused = permit_tiles(model->cpu_features);
  if (refused == ENOSPC)
    return heddle_fail(
        error, HEDDLE_UNSUPPORTED_CPU,
        "model '%s' was compiled for CPU '%s'; a signal stack of "
        "this process (sigaltstack) is too small for its tile "
        "registers (amx-tile): getauxval(AT_MINSIGSTKSZ) says "
        "how large it has to be",
        model->name, model->target_cpu);
  if (refused)
    return heddle_fail(error, HEDDLE_UNSUPPORTED_CPU,
                       "model '%s' was compiled for CPU '%s'; this system does "
                       "not permit tile registers (amx-tile)",
                       model->name, model->target_cpu);
  return HEDDLE_OK;
}

#else

void heddle_cpu_detect(heddle_cpu *cpu) { memset(cpu, 0, sizeof(*cpu)); }

heddle_status heddle_check_cpu(const heddle_model *model, heddle_error *error) {
  (void)model;
  (void)error;
  return HEDDLE_OK;
}

#endif

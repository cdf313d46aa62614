// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that layouts and schedules assume about a machine. Tuning numbers
// live here and nowhere else.

#ifndef HEDDLE_COMPILER_TARGET_MACHINEMODEL_H
#define HEDDLE_COMPILER_TARGET_MACHINEMODEL_H

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/SumOfProducts.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace heddle {

/// The CPU that "native" stands for.
struct HostCpu {
  std::string name;
  std::string features; ///< LLVM's feature string

  /// The one that this runs on.
  static HostCpu detect();
};

/// The most bytes of its stack that the funcs of a task may take. A task has
/// 256 KiB (heddle_abi.h); the rest is for registers that LLVM spills.
inline constexpr int64_t kMostStackBytes = 224 << 10;

/// What runs kernels in place of the CPU.
struct DeviceModel {
  enum Kind { OpenCL, Cuda };
  Kind kind;
  std::string chip; ///< as LLVM names it: "sm_90"; empty of OpenCL

  /// Threads of a block that computes elements or rows.
  int64_t rowThreads = 128;
  /// Elements that a thread takes one by one, whose loads may be under way at a
  /// time, unless they are known to be too few for all threads of a device.
  int64_t threadElements = 4;
  /// Threads that a device has at a time: an H100 132 multiprocessors with
  /// 2048.
  int64_t residentThreads = 132 * 2048;
  /// Partial sums that each thread adds.
  int64_t lanes = 32;
  /// An axis of at least so many elements, of which the best is looked for, is
  /// searched in so many strands side by side.
  int64_t longAxis = 2048, strands = 256;
  /// Elements of a row of logits, which there are few of, that a block reduces.
  int64_t rowPart = 1024;
  /// Threads of a block that computes a task of attention, the blocks of 32
  /// keys that it scores at a time, and its rows, if they fit into the memory
  /// that the threads share.
  int64_t attentionThreads = 128;
  int64_t attentionChunkBlocks = 2;
  int64_t attentionRows = 16;
  /// As many tasks as keep a device busy: decoding cuts the keys into splits
  /// for them, at most so many, and no more than known keys have chunks.
  int64_t attentionTasks = 256, attentionSplits = 16;
  /// Rows of which a thread computes the scores of a key, or the sums of a
  /// channel, at most: it reads each key and each value once for them.
  int64_t attentionThreadRows = 8;
  /// Terms of such a sum in straight code, which shared memory is read for at a
  /// time: 16 bytes.
  int64_t attentionTerms = 4;
  /// Contractions over many rows: the tile of a block, the part of it whose
  /// sums a thread has, and the terms that are in shared memory at a time. A
  /// part of 8 by 8 loads 16 numbers for 64 multiply-adds.
  int64_t productRows = 128, productColumns = 128;
  int64_t productThreadRows = 8, productThreadColumns = 8;
  int64_t productDepth = 16;
  /// Contractions of one kernel whose sums a thread has registers for.
  size_t productSums = 4;
  /// Columns side by side that a thread reads at a time: 16 bytes of f32.
  int64_t productVector = 4;
  /// Columns of a block where rows are few, and the width of panels. As panels
  /// lie one after the other, narrow ones are read as fast as wide ones, by
  /// more blocks.
  int64_t productPanel = 16;
  /// Bytes of memory that the threads of a block share. All devices have 48
  /// KiB.
  int64_t sharedBytes = 48 * 1024;
  /// Those that a single row of attention with wide heads may take. Data center
  /// devices from an A100 on have them; on others a call says what it needs and
  /// what there is.
  int64_t mostSharedBytes = 160 * 1024;
};

struct MachineModel {
  std::string cpu; ///< LLVM's name: "znver5"
  /// LLVM's feature string: "+avx2,+fma,-avx512f". It says what is there, and
  /// what is not although a CPU of that name has it.
  std::string features;
  bool hasAVX512 = false;
  bool hasF16C = false;

  /// f32 values in a vector register.
  int64_t lanes = 8;
  /// Vector registers.
  int64_t vectorRegisters = 16;
  /// Weights of a contraction are packed in panels of this many output
  /// channels: [panel][input channel][panelWidth]. A multiple of `lanes`.
  int64_t panelWidth = 16;
  /// Rows of the register tile of a contraction over many rows. rowTile *
  /// panelWidth / lanes accumulators, panelWidth / lanes weights and one
  /// broadcast must fit the register file. With AVX-512, 6 rows by 4 vectors
  /// load 10 registers for 24 multiply-adds; 12 by 2 load 14, too many for Ice
  /// Lake.
  int64_t rowTile = 6;
  /// Products of 16-bit integers that one instruction (vpmaddwd) adds up in
  /// each 32 bits of a vector; 1 where there is no such one.
  int64_t integerTerms = 2;
  /// Products of a byte with a sign and one without (vpdpbusd); 1 where there
  /// is no such instruction.
  int64_t byteTerms = 1;
  /// Products of bf16 that one instruction (vdpbf16ps) adds to an f32; 1 where
  /// there is no such instruction, or it is slower than two of f32.
  int64_t bfloatTerms = 1;
  /// Rows of a tile register, each of 64 bytes, and those of a tile of
  /// contractions, of experts and of attention whose sums are in one: bytes, or
  /// pairs of bf16, are multiplied eight and sixteen times as fast there
  /// (tdpbsud, tdpbf16ps). 0 where there are none.
  int64_t tileRegisterRows = 0;
  /// The widest panels, or channels of values, that such a tile has: four
  /// registers of sums.
  int64_t tileRegisterColumns = 64;
  /// The width of panels of columns that such instructions read. Of four
  /// vectors Halide reads the last one byte by byte.
  int64_t groupedPanelWidth = 16;
  /// Blocks of integers that are short have sums in i32 and in f32, which both
  /// want registers: the terms of such a block at most, the width of panels and
  /// the rows of a tile. 5 rows by 2 vectors are 20 sums, and leave the rest
  /// for columns, their halves, and what takes these apart.
  int64_t shortBlock = 128, shortBlockPanelWidth = 16, shortBlockRows = 4;
  /// Rows of different tokens that have one expert make a tile, of so many or
  /// a few more, so that register tiles are full: a matrix is read once for
  /// them, and an expert's last tile leaves few of them free; where tile
  /// registers multiply them, as many as these have. A step of a decoder has
  /// one token of each sequence, and few of an expert.
  int64_t expertRows = 12, expertRowsOfStep = 4;
  /// The most bytes of a matrix that a core's private cache keeps beside rows:
  /// of a larger one, panels pass the rows of several tiles.
  int64_t keptMatrixBytes = 1280 * 1024;
  /// Bytes of input rows that a contraction goes over for each panel; they
  /// should stay in a core's private cache.
  int64_t rowBlockBytes = 256 * 1024;
  /// Rows of a block of such a matrix, and blocks of a group where panels are
  /// too few tasks: a core waits for a panel that it reads for the first time,
  /// and has it in its cache for these rows. Of 96 to 4098 rows 1026 took the
  /// least time, or as long as more; 8 blocks less than 4 (an Emerald Rapids,
  /// BERT-base in f32).
  int64_t streamedRows = 1026, blocksOfGroup = 8;
  /// Contractions over more terms are summed in blocks.
  int64_t deepestSum = 2048;
  /// Rows that are worth a tile, which is for more: it reads columns once for
  /// all.
  int64_t fewestTileRows = 2;
  int64_t lineBytes = 64; ///< of the caches
  /// Places of the depth that one row reads weights at in turn. Each is a
  /// stream for the CPU to read ahead in: one brings 70 to 85% of what memory
  /// gives, and four all of it (a Zen 5; f32, bf16 and int8), if steps have at
  /// least a line.
  int64_t depthPlaces = 4;
  /// From what a sum of products reads to what it prefetches.
  int64_t bytesAhead = 2048;
  /// Tiles of narrow columns have more rows than `rowTile`, but no more than
  /// these.
  int64_t highestTile = 12;
  /// Columns of a contraction that are read from rows as long as this, and at
  /// least so many, are packed into panels: shorter ones a first-level cache
  /// and its translations cope with.
  int64_t packedColumns = 512, packedDepth = 128;
  /// What sizes of contractions that are not known are taken for.
  int64_t usualRows = 128, usualColumns = 1024, usualDepth = 512;
  /// As many tasks as keep all cores busy to the end.
  int64_t tasks = 16;
  /// Rows (queries times heads of one group) of a tile of attention, and how
  /// many blocks of 32 keys are scored before they are weighed and summed.
  int64_t attentionRowTile = 12;
  /// Half of a task's stack (heddle_abi.h), for queries and state: tiles of
  /// wide heads have fewer rows. The scores of a chunk of keys lie in the other
  /// half.
  int64_t attentionTileBytes = 128 << 10;
  /// A task reads all keys: copies are worth it where there are more queries.
  int64_t attentionFewQueries = 2;
  /// The most keys whose values are read from rows of all heads. Those of more
  /// lie on more pages than the translation buffer (TLB) has: 8192 keys of 768
  /// channels took 1.36 times as long (a Zen 5), 2048 as long as copies.
  int64_t attentionKeysInPlace = 2048;
  int64_t attentionChunkBlocks = 16;
  /// Register tiles of attention: rows by keys for the scores, rows by channels
  /// of a head for the values. 6 rows by 2 vectors load 8 registers for 12
  /// multiply-adds, and leave one; 3 by 4 need one too many.
  int64_t attentionRegisterRows = 6;
  int64_t attentionKeys = 16;
  int64_t attentionValueWidth = 16;
  /// A contraction over few rows runs in parallel from this many weights on, in
  /// tasks of at least `taskWeights`.
  int64_t parallelWeights = 64 * 1024;
  int64_t taskWeights = 32 * 1024;
  /// Rows that a task of rowwise work takes at most, unless there are more for
  /// each of `tasks`.
  int64_t rowBlock = 16;
  /// Elements of a task of elementwise work: fewer are not worth one.
  int64_t taskElements = 16 * 1024;
  /// Elements of a task where there are many: reading ahead from memory does
  /// not stop at the end of a task, so that larger ones read less twice.
  int64_t longTaskElements = 32 * 1024;
  /// Reductions that leave the last dimension keep as many of its elements in a
  /// core's first cache.
  int64_t stripWidth = 512;

  /// Rows and columns of a tile that is transposed: cache lines on both sides.
  int64_t transposedTile = 16;

  /// Products of bf16 that are added to a sum at a time, by whatever is fastest
  /// for several rows.
  int64_t productPairs() const {
    return tileRegisterRows > 0 ? kPair : bfloatTerms;
  }

  /// Rows of a register tile of so many columns, as many as there are registers
  /// for sums.
  int64_t tileRows(int64_t columns) const;

  /// The bytes that a row of attention takes of them: its query, and three
  /// numbers for each channel of a value (Lowering/LowerAttention.cpp).
  static int64_t attentionRowBytes(AttentionOp op);
  /// Whether attention that packs keys and values packs pairs of bf16, since
  /// they are multiplied faster than f32: in vectors, or in tile registers,
  /// which have whole vectors of values and all rows of a register.
  bool packsPairs(AttentionOp op) const;
  bool fitsTileRegisters(AttentionOp op) const;

  /// What runs the kernels, if it is not the CPU.
  std::optional<DeviceModel> device;

  /// Sets `device` by its name, "opencl", "cuda", "cuda:sm_90", or nothing, and
  /// the panels that it reads.
  llvm::Error setDevice(llvm::StringRef name);
  /// Its name, as the module's target has it.
  std::string deviceName() const;
  /// The CPU as --target-cpu takes it, with tile registers that it has or lacks
  /// although a CPU of that name has not, or has, them.
  std::string cpuName() const;
  /// What kind of target it is: "cpu", "opencl", "cuda".
  std::string targetKind() const;

  /// The model of a CPU, an LLVM name or "native" with changes to its features
  /// after it: "znver5", "icelake-server,-avx512f".
  static llvm::Expected<MachineModel>
  forCpu(llvm::StringRef cpu, const HostCpu &host = HostCpu::detect());
  /// That of the module's target; reports where there is none.
  static mlir::FailureOr<MachineModel> of(mlir::ModuleOp module);
};

/// The device that runs `op`, if its module has one for a target: what the
/// reference looks at has none.
std::optional<DeviceModel> deviceOf(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_COMPILER_TARGET_MACHINEMODEL_H

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: calls of all entry points of a compiled model, each
// compared with the reference. Calls are in Verify.cpp, what they are given is
// in VerifyInputs.cpp, caches are in VerifyCaches.cpp.

#ifndef HEDDLE_COMPILER_VERIFY_VERIFYSESSION_H
#define HEDDLE_COMPILER_VERIFY_VERIFYSESSION_H

#include "compiler/Support/DeviceSession.h"
#include "compiler/Verify/Verify.h"
#include "compiler/Verify/VerifyMemory.h"
#include "compiler/Verify/VerifyModel.h"

#include <random>

namespace heddle {

/// What entry points with caches of one type and shape go on with.
struct CacheState {
  CacheType type;
  llvm::SmallVector<int64_t> shape; ///< sequences or pages, positions of each
  std::unique_ptr<VerifyMemory> memory;
  std::vector<int32_t> starts; ///< positions that are taken, of each sequence
  CacheHistory history;
};

/// Calls of all entry points, one after the other.
class VerifySession {
public:
  /// `device` is null where the CPU runs the kernels.
  VerifySession(const VerifyInput &input, heddle_threads &threads,
                DeviceSession *device)
      : input(input), threads(threads), device(device),
        evaluator(input.module, input.tensors),
        modelVerifier(input.original, input.tensors),
        summaries(input.plan.entries.size()) {}

  llvm::Error run();
  std::string describe() const;

private:
  // Two sequences, where the caller chooses, of which the second is about half
  // as long. The lengths of a call are no multiples of tiles and vectors; the
  // second one starts inside the cache's first block of positions and ends in
  // its second.
  static constexpr int64_t batch = 2;
  static constexpr int64_t rounds[] = {9, 35}; ///< the longest is the last
  static constexpr int64_t capacity = 50;

  //===-- Memory ----------------------------------------------------------===//

  /// Says how much memory all calls take, where it is much, and fails where
  /// there is less.
  llvm::Error checkMemory();
  /// About what a call with the current sizes takes.
  llvm::Expected<uint64_t> memoryOf(const EntryPlan &plan,
                                    const heddle_entry &entry) const;

  //===-- Calls -----------------------------------------------------------===//

  /// Calls of an entry point in a round: what has one token is called once
  /// more, to go on after itself.
  static int repeatsOf(const EntryPlan &entry);
  llvm::Error callRound(unsigned index, int64_t round);
  /// Calls an entry point with the current sizes, unless it refuses them.
  llvm::Error callIfAllowed(unsigned index);
  /// Calls an entry point once for each of its sizes that may be 0, which is 0
  /// then.
  llvm::Error callEmpty(unsigned index);
  /// Calls an entry point once for each of its sizes that may be broadcast,
  /// which is 1 then.
  llvm::Error callRepeated(unsigned index);
  /// The symbols of such sizes; none where calls take caches, whose sizes stay.
  static llvm::SmallVector<unsigned> emptySymbolsOf(const EntryPlan &entry);
  static llvm::SmallVector<unsigned> repeatedSymbolsOf(const EntryPlan &entry);
  llvm::Error call(unsigned index, llvm::ArrayRef<CacheState *> states);
  /// Tells the input's progress about a part of the current call.
  void show(const llvm::Twine &part) const;

  //===-- Inputs ----------------------------------------------------------===//

  void chooseSizes(const EntryPlan &entry, int64_t round, int64_t length);
  /// The sizes that have no meaning known here are `bases`, and more the
  /// further behind.
  void setSizes(const EntryPlan &entry, int64_t length,
                llvm::ArrayRef<int64_t> bases);
  int64_t bytesOfLargest(const EntryPlan &entry) const;
  /// Guesses how much the current sizes make the reference do, of what it may:
  /// by the bytes of arguments that have such sizes, by all sizes multiplied,
  /// and by those with the bytes of other arguments, such as weights.
  double workOf(const EntryPlan &entry) const;
  /// Whether the entry point takes the current sizes together.
  bool areAllowed(const EntryPlan &entry) const;
  /// Whether each of its arguments has an element then.
  bool haveElements(const EntryPlan &entry) const;
  /// Looks for sizes that it takes, and with which there are elements to
  /// compare if there are such; keeps the current ones where it finds none.
  void drawSizes(const EntryPlan &entry, int64_t seed);
  std::optional<int64_t> sizeOfPages(const EntryPlan &entry,
                                     SizeAttr size) const;
  /// Whether starts are limited by `size` alone, and not by a cache.
  static bool limitsStarts(const EntryPlan &entry, SizeAttr size);
  /// Gives the symbols of caches the sizes of those that there are.
  void takeSizesOfCaches(const EntryPlan &entry);
  void chooseLengths(const EntryPlan &entry, int64_t length);
  int64_t elementsOf(const EntryPlan &entry,
                     const ArgumentPlan &argument) const;
  /// `given` are the values where the session knows them.
  void fill(const EntryPlan &entry, const ArgumentPlan &argument,
            llvm::ArrayRef<int32_t> given, void *data);
  /// Of types whose every value is as good as another.
  void fillNumbers(heddle_type type, int64_t elements, void *data);

  //===-- Caches ----------------------------------------------------------===//

  /// Those of pools, whose sizes only a table of pages tells.
  llvm::Error createPools();
  /// The states of the caches of an entry point, with the current sizes. Entry
  /// points share those of one type and shape, of which each may take several.
  llvm::Expected<llvm::SmallVector<CacheState *>> statesOf(unsigned index);
  /// The cache that `starts` are positions in: the first that their maximum is
  /// about.
  CacheState *stateOf(const EntryPlan &entry, const ArgumentPlan &starts,
                      llvm::ArrayRef<CacheState *> states) const;
  /// Whether any function returns a cache of this type, as those do that
  /// append.
  bool isAppended(CacheType type) const;
  /// What the model only reads comes from elsewhere: it holds any numbers.
  void fillCache(CacheState &state);

  const VerifyInput &input;
  heddle_threads &threads;
  DeviceSession *device;
  reference::Evaluator evaluator; ///< of kernels
  ModelVerifier modelVerifier;
  std::vector<VerifySummary> summaries;
  int calls = 0, callsSoFar = 0; ///< of all rounds
  std::mt19937 random{1};
  std::vector<std::unique_ptr<CacheState>> caches;
  /// Of the current call.
  llvm::SmallVector<int64_t> sizes;
  bool hasZeros = false;                     ///< among the numbers of inputs
  std::vector<std::vector<int32_t>> lengths; ///< of arguments that are lengths
};

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFYSESSION_H

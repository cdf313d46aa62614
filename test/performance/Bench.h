// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of the benchmark: kernels of test/performance/kernels and whole models,
// next to the machine's peaks and to peers.

#ifndef HEDDLE_TEST_PERFORMANCE_BENCH_H
#define HEDDLE_TEST_PERFORMANCE_BENCH_H

#include "test/performance/Artifact.h"
#include "test/performance/Machine.h"
#include "test/performance/Peer.h"
#include "test/performance/Table.h"

/// Multiplications of a token with matrices of layers, and with the one that
/// makes logits, and numbers of the cache of one position.
struct DecoderShape {
  double layers, head, cache;
};

class Bench {
public:
  /// Rows whose name holds `only`.
  Bench(heddle_threads *threads, std::string folder, std::vector<Peer> peers,
        std::string only);

  /// Of f32, or with weights of that type, inputs of it where there is
  /// arithmetic for it.
  void gemm(const char *type, int64_t rows, int64_t inputs, int64_t outputs);
  void attention(const char *name, const char *entry, int64_t length,
                 double useful);
  /// Attention over a function's own arguments, with `pairs` of a query and a
  /// key for each head, and `channels` of a key and a value together. The name
  /// begins with a type where products are of that.
  void attentionKind(const char *name, int64_t length, double pairs,
                     const char *heads = "12x64", double channels = 12 * 128);
  void gemv(const char *type, double bits);
  void attentionDecode(int64_t keys);
  /// The same over a cache of `kind`, of which a position has `bytes`.
  void cacheKind(const char *kind, int64_t keys, size_t bytes);
  /// A kernel that moves `bytes`, read and written, from and to memory.
  /// `held` are the bytes of its arguments.
  void tensorOp(const char *name, const char *size, size_t bytes, size_t held);
  /// Two of eight experts for each token.
  void experts(const char *type, int64_t tokens);
  void matmul(int64_t rows, int64_t depth, int64_t columns);
  /// Whole calls of a layer, whose work is `operations`.
  void conv(const char *name, const char *size, double operations);
  /// Whole calls of a layer that reads `bytes` of its arguments, which have
  /// `held`.
  void layer(const char *name, const char *size, std::vector<int64_t> sizes,
             size_t bytes, size_t held);
  void decoder(const std::string &name, const DecoderShape &shape);
  /// An encoder, of which a token takes `perToken` multiplications, and each
  /// pair of a query and a key `perPair`.
  void encoder(const std::string &name, double perToken, double perPair);
  /// An encoder of `source` positions, and its decoder's greedy answer.
  void sequenceToSequence(const std::string &name, int64_t source);

private:
  void compare(const Case &row, const Peak &peak, double work,
               const PeerCase &peerCase, const std::function<double()> &ours);
  void prefill(Artifact &artifact, const DecoderShape &shape,
               const std::string &name, int64_t length);
  void decode(Artifact &artifact, const DecoderShape &shape,
              const std::string &name, int64_t batch);
  Peak peakOf(const std::string &type) const;
  bool isWanted(const std::string &name) const {
    return name.find(only) != std::string::npos;
  }

  heddle_threads *threads;
  int count;
  std::string folder;
  std::vector<Peer> peers;
  std::string only;
  MemoryReader reader;
  Table table;
  Peak arithmetic, bandwidth, copying;
};

#endif // HEDDLE_TEST_PERFORMANCE_BENCH_H

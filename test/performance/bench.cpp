// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench THREADS FOLDER [--only TEXT] [--peer NAME COMMAND]... [MODEL...]
//   [--encoder MODEL MULTIPLICATIONS MULTIPLICATIONS]...
//
// Measures the kernels of test/performance/kernels (compiled into FOLDER) and
// whole models, next to the machine's peaks and to peers. bench.sh calls it;
// README.md says what the rows mean.

#include "test/performance/Artifact.h"
#include "test/performance/Machine.h"
#include "test/performance/Peer.h"
#include "test/performance/Table.h"

#include <cstdio>
#include <cstdlib>

namespace {

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
  void experts(int64_t tokens);
  void matmul(int64_t rows, int64_t depth, int64_t columns);
  /// Whole calls of a layer, whose work is `operations`.
  void conv(const char *name, const char *size, double operations);
  /// The same of one that reads `bytes` of its arguments, which have `held`.
  void layer(const char *name, const char *size, std::vector<int64_t> sizes,
             size_t bytes, size_t held);
  void model(const std::string &name);
  /// An encoder, of which a token takes `perToken` multiplications, and each
  /// pair of a query and a key `perPair`.
  void encoder(const std::string &name, double perToken, double perPair);

private:
  void compare(const Case &row, const Peak &peak, double work,
               const PeerCase &peerCase, const Table::Timer &ours);
  void prefill(Artifact &artifact, const std::string &name, int64_t length);
  void decode(Artifact &artifact, const std::string &name, int64_t batch);
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

} // namespace

static void printPeak(const char *name, double peak, const char *extension) {
  if (peak > 0)
    std::printf("%s  %.1f GFLOP/s\n", name, peak);
  else
    std::printf("%s  none, the CPU has no %s\n", name, extension);
}

Bench::Bench(heddle_threads *threads, std::string folder,
             std::vector<Peer> peers, std::string only)
    : threads(threads), count(heddle_threads_count(threads)),
      folder(std::move(folder)), peers(std::move(peers)), only(std::move(only)),
      reader(count),
      arithmetic{"GFLOP/s", 1e9, [this] { return measureFloatPeak(count); }},
      bandwidth{"GB/s", 1e9, [this] { return reader.measureBandwidth(); }},
      copying{"GB/s", 1e9, [this] { return reader.measureCopyBandwidth(); }} {
  std::printf("threads                %d\n", count);
  double share = measureCpuShare(count);
  std::printf("share of their CPUs    %.0f%%%s\n", 100 * share,
              share > 0.95 ? "" : ": too little, the rates are too low");
  std::printf("last-level caches      %zu MiB; uncached data: %zu MiB\n",
              cacheBytes() >> 20, uncachedBytes() >> 20);
  std::printf("f32 multiply-add peak  %.1f GFLOP/s\n", measureFloatPeak(count));
  printPeak("bf16 dot product peak", measureBFloatPeak(count), "AVX512-BF16");
  printPeak("int8 dot product peak", measureBytePeak(count), "AVX512-VNNI");
  std::printf("read bandwidth         %.1f GB/s\n\n",
              reader.measureBandwidth());
  table.printHeader();
}

// One row for us and one for each peer that can do it. `work` is what a call
// does, in units of the peak.
void Bench::compare(const Case &row, const Peak &peak, double work,
                    const PeerCase &peerCase, const Table::Timer &ours) {
  if (!isWanted(row.name))
    return;
  table.print(row, "heddle", peak, work, ours, /*rounds=*/5);
  for (const Peer &peer : peers)
    table.print(
        row, peer.name, peak, work, [&] { return peer.run(count, peerCase); },
        /*rounds=*/1);
}

static std::string times(int64_t a, int64_t b, int64_t c) {
  return std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c);
}

// Multiplications of numbers of so many bits at most, as fast as the CPU can.
Peak Bench::peakOf(const std::string &type) const {
  int threads = count;
  if (type.substr(0, 3) == "int" && measureBytePeak(1) > 0)
    return {"GOP/s", 1e9, [=] { return measureBytePeak(threads); }};
  // Intel's CPUs multiply pairs at half the rate of f32.
  if (type == "bf16" && measureBFloatPeak(1) > measureFloatPeak(1))
    return {"GFLOP/s", 1e9, [=] { return measureBFloatPeak(threads); }};
  return arithmetic;
}

void Bench::gemm(const char *type, int64_t rows, int64_t inputs,
                 int64_t outputs) {
  std::string name = "gemm_" + std::to_string(inputs) + "x" +
                     std::to_string(outputs) + "_" + type;
  Artifact artifact(folder, name, threads);
  Call call = {"run", {rows}, {}};
  compare({"gemm " + std::string(type), times(rows, inputs, outputs)},
          peakOf(type), 2.0 * rows * inputs * outputs,
          {"gemm_" + std::string(type), {rows, inputs, outputs}},
          [&] { return artifact.timeLastKernel(call); });
}

// 12 heads of 64 over as many keys as queries. `useful` is the part of the
// scores that the mask keeps.
void Bench::attention(const char *name, const char *entry, int64_t length,
                      double useful) {
  Artifact artifact(folder, "attention_" + std::string(name), threads);
  Call call = {entry,
               {1, length, length},
               {{"starts", 0}, {"lengths", int32_t(length)}}};
  compare(
      {"attention " + std::string(name), "12x64, L=" + std::to_string(length)},
      arithmetic, 4.0 * 12 * 64 * length * length * useful,
      {"attention_" + std::string(name), {length}},
      [&] { return artifact.timeLastKernel(call); });
}

void Bench::attentionKind(const char *name, int64_t length, double pairs,
                          const char *heads, double channels) {
  Artifact artifact(folder, "attention_kinds", threads);
  Call call = {name, {length}, {{"lengths", int32_t(length / 2)}}};
  compare({"attention " + std::string(name),
           heads + (", L=" + std::to_string(length))},
          peakOf(std::string(name).substr(0, 4)), 2.0 * channels * pairs,
          {"attention_" + std::string(name), {length}},
          [&] { return artifact.timeLastKernel(call); });
}

static size_t copiesOf(size_t bytes) {
  return (uncachedBytes() + bytes - 1) / bytes;
}

// `bits` of each weight, with its part of the scales where groups have them.
void Bench::gemv(const char *type, double bits) {
  std::string row = "gemv " + std::string(type);
  if (!isWanted(row))
    return;
  const int64_t size = 4096;
  size_t bytes = size_t(size * size * bits / 8), copies = copiesOf(bytes);
  Artifact artifact(folder, "gemv_4096x4096_" + std::string(type), threads,
                    copies);
  Call call = {"run", {1}, {}};
  // Memory is not all as fast: the peak is of the weights' own.
  Peak reading = {"GB/s", 1e9, [&] {
                    return measureReading(artifact.weightsMemory(), count);
                  }};
  compare({row, times(1, size, size)}, reading, double(bytes),
          {"gemv_" + std::string(type), {size, size, int64_t(copies)}},
          [&] { return artifact.timeLastKernel(call); });
}

// One query of 12 heads of 64; keys and values are what it has to read.
void Bench::attentionDecode(int64_t keys) {
  if (!isWanted("attention decode"))
    return;
  size_t bytes = 2 * 12 * 64 * sizeof(float) * keys, copies = copiesOf(bytes);
  Artifact artifact(folder, "attention_causal", threads, copies);
  Call call = {
      "decode", {1, keys}, {{"starts", int32_t(keys - 1)}, {"lengths", 1}}};
  compare({"attention decode", "12x64, keys=" + std::to_string(keys)},
          bandwidth, double(bytes),
          {"attention_decode", {keys, int64_t(copies)}},
          [&] { return artifact.timeLastKernel(call); });
}

void Bench::cacheKind(const char *kind, int64_t keys, size_t bytes) {
  if (!isWanted("attention decode " + std::string(kind)))
    return;
  const int64_t page = 64;
  size_t total = bytes * keys, copies = copiesOf(total);
  Artifact artifact(folder, "cache_kinds", threads, copies);
  bool hasPages = kind == std::string("pages");
  Call call = {kind, {1, keys}, {}, int32_t(keys / page)};
  if (hasPages) // of sequences, of the pool, of the table
    call.sizes = {1, keys / page, keys / page};
  compare({"attention decode " + std::string(kind),
           "12x64, keys=" + std::to_string(keys)},
          bandwidth, double(total),
          {"attention_decode_" + std::string(kind), {keys, int64_t(copies)}},
          [&] { return artifact.timeLastKernel(call); });
}

void Bench::conv(const char *name, const char *size, double operations) {
  if (!isWanted(name))
    return;
  Artifact artifact(folder, "layers", threads);
  compare({name, size}, arithmetic, operations, {name, {}},
          [&] { return artifact.timeCall({name, {}, {}}); });
}

void Bench::layer(const char *name, const char *size,
                  std::vector<int64_t> sizes, size_t bytes, size_t held) {
  if (!isWanted(name))
    return;
  size_t copies = copiesOf(held);
  Artifact artifact(folder, "layers", threads, copies);
  compare({name, size}, bandwidth, double(bytes), {name, {int64_t(copies)}},
          [&] { return artifact.timeCall({name, sizes, {}}); });
}

void Bench::tensorOp(const char *name, const char *size, size_t bytes,
                     size_t held) {
  if (!isWanted(name))
    return;
  size_t copies = copiesOf(held);
  Artifact artifact(folder, name, threads, copies);
  Call call = {"run", {}, {}, /*vocabulary=*/8192};
  compare({name, size}, copying, double(bytes), {name, {int64_t(copies)}},
          [&] { return artifact.timeLastKernel(call); });
}

void Bench::experts(int64_t tokens) {
  if (!isWanted("experts f32"))
    return;
  Artifact artifact(folder, "experts", threads);
  Call call = {"run", {tokens}, {}};
  compare({"experts f32", "2 of 8, 512x1024, " + std::to_string(tokens)},
          arithmetic, 2.0 * 2 * 3 * 512 * 1024 * double(tokens),
          {"experts", {tokens}}, [&] { return artifact.timeCall(call); });
}

// Products of 12 heads.
void Bench::matmul(int64_t rows, int64_t depth, int64_t columns) {
  const int64_t heads = 12;
  std::string size = times(rows, depth, columns);
  Artifact artifact(folder, "matmul_" + size, threads);
  compare({"matmul f32", "12x" + size}, arithmetic,
          2.0 * heads * rows * depth * columns,
          {"matmul", {heads, rows, depth, columns}},
          [&] { return artifact.timeLastKernel({"run", {}, {}}); });
}

// ---- Models -----------------------------------------------------------------

constexpr int64_t kPrompt = 128, kTokens = 32, kCapacity = kPrompt + kTokens;

void Bench::decode(Artifact &artifact, const std::string &name, int64_t batch) {
  compare({name, "decode, batch " + std::to_string(batch)}, {"tokens/s", 1, {}},
          double(batch * kTokens), {"decode", {batch, kPrompt, kTokens}, name},
          [&] {
            double start = seconds();
            for (int32_t token = 0; token < kTokens; ++token)
              artifact.run(
                  {"decode",
                   {batch, kCapacity},
                   {{"starts", int32_t(kPrompt + token)}, {"lengths", 1}}});
            return seconds() - start;
          });
}

void Bench::prefill(Artifact &artifact, const std::string &name,
                    int64_t length) {
  Call call = {"prefill",
               {1, length, length},
               {{"starts", 0}, {"lengths", int32_t(length)}}};
  artifact.run(call); // reads the weights from disk
  compare({name, "prefill " + std::to_string(length)}, {"tokens/s", 1, {}},
          double(length), {"prefill", {1, length}, name}, [&] {
            double start = seconds();
            artifact.run(call);
            return seconds() - start;
          });
}

void Bench::encoder(const std::string &name, double perToken, double perPair) {
  if (!isWanted(name))
    return;
  Artifact artifact(folder, name, threads);
  std::string type = name.substr(name.rfind('_') + 1);
  for (auto [batch, length] : {std::pair(1, 128), {1, 512}, {8, 128}}) {
    Call call = {
        "encode", {length, batch}, {{"lengths", length}, {"types", 0}}};
    artifact.run(call); // reads the weights from disk
    compare({name, std::to_string(batch) + "x" + std::to_string(length)},
            peakOf(type), 2.0 * batch * length * (perToken + perPair * length),
            {"encode", {batch, length}, name}, [&] {
              double start = seconds();
              artifact.run(call);
              return seconds() - start;
            });
  }
}

void Bench::model(const std::string &name) {
  if (!isWanted(name))
    return;
  Artifact artifact(folder, name, threads);
  for (int64_t length : {kPrompt, 4 * kPrompt})
    prefill(artifact, name, length);
  for (int64_t batch : {1, 4, 8})
    decode(artifact, name, batch);
}

// ---- The command line -------------------------------------------------------

int main(int argc, char **argv) {
  if (argc < 3)
    fail("usage: bench THREADS FOLDER [--only TEXT] [--peer NAME COMMAND]... "
         "[--encoder MODEL MULTIPLICATIONS MULTIPLICATIONS]... [MODEL...]");
  std::string folder = argv[2], only;
  std::vector<Peer> peers;
  std::vector<std::string> models;
  struct Encoder {
    std::string name;
    double perToken, perPair;
  };
  std::vector<Encoder> encoders;
  for (int i = 3; i < argc; ++i) {
    if (argv[i] == std::string("--peer") && i + 2 < argc) {
      peers.push_back({argv[i + 1], argv[i + 2], folder});
      i += 2;
    } else if (argv[i] == std::string("--only") && i + 1 < argc) {
      only = argv[++i];
    } else if (argv[i] == std::string("--encoder") && i + 3 < argc) {
      encoders.push_back(
          {argv[i + 1], std::atof(argv[i + 2]), std::atof(argv[i + 3])});
      i += 3;
    } else {
      models.push_back(argv[i]);
    }
  }
  char *end;
  int count = int(std::strtol(argv[1], &end, 10));
  if (*end)
    fail("expected a number of threads, got '" + std::string(argv[1]) + "'");
  heddle_threads *threads;
  heddle_error error;
  if (heddle_threads_create(count, nullptr, &threads, &error))
    fail(error.message);
  {
    Bench bench(threads, folder, peers, only);
    for (const char *type : {"f32", "bf16", "int8", "int4"}) {
      bench.gemm(type, 512, 768, 3072);
      bench.gemm(type, 128, 768, 768);
      bench.gemm(type, 512, 2048, 5632);
      bench.gemm(type, 33, 768, 3072);
      bench.gemm(type, 7, 768, 3072);
    }
    for (int64_t length : {512, 2048}) {
      bench.attention("full", "run", length, 1.0);
      bench.attention("causal", "prefill", length, 0.5);
    }
    for (double length : {512, 2048})
      for (const char *kind :
           {"plain", "log_sum_exp", "softcap", "alibi", "bias"})
        bench.attentionKind(kind, int64_t(length), length * length);
    for (double length : {512, 2048, 8192})
      bench.attentionKind("bf16", int64_t(length), length * length);
    for (double length : {512, 2048})
      bench.attentionKind("bf16_causal", int64_t(length), length * length / 2);
    bench.attentionKind("d128", 512, 512 * 512, "12x128", 12 * 256);
    bench.attentionKind("values_of_128", 512, 512 * 512, "12x64/128", 12 * 192);
    // What masks keep, as near as blocks of keys can come to it.
    bench.attentionKind("plain", 8192, 8192.0 * 8192);
    bench.attentionKind("window", 8192, 8192.0 * 256);
    bench.attentionKind("padding", 8192, 8192.0 * 4096);
    bench.attentionKind("documents", 8192, 8192.0 * 512);
    // Of each pair 64 hyperbolic tangents, which count as one operation.
    bench.attentionKind("additive", 512, 512 * 512, "1x64", 32);
    bench.attentionKind("tanh", 512, 512, "64", 32);
    bench.gemv("f32", 32);
    bench.gemv("bf16", 16);
    bench.gemv("int8", 8);
    bench.gemv("int4", 4.5);
    bench.attentionDecode(2048);
    // Keys and values of 12 heads of 64, and of i8 a scale for each.
    for (auto [kind, bytes] :
         {std::pair("f32", 12 * 2 * 64 * 4), std::pair("bf16", 12 * 2 * 64 * 2),
          std::pair("i8", 12 * 2 * (64 + 4)),
          std::pair("pages", 12 * 2 * 64 * 4)})
      bench.cacheKind(kind, 2048, bytes);
    bench.conv("conv_1d", "80x3000 to 384, of 3", 2.0 * 384 * 80 * 3 * 3000);
    bench.conv("conv_2d_7x7", "3x224x224 to 64, by 2",
               2.0 * 64 * 3 * 49 * 112 * 112);
    bench.conv("conv_2d_3x3", "64x56x56 to 64", 2.0 * 64 * 64 * 9 * 56 * 56);
    bench.conv("conv_2d_small", "512x7x7 to 512, 3x3",
               2.0 * 512 * 512 * 9 * 7 * 7);
    bench.layer("conv_2d_depthwise", "96x56x56, 3x3", {}, 2 * 4 * 96 * 56 * 56,
                2 * 4 * 96 * 56 * 56);
    bench.layer("pool_2d", "64x112x112, 3x3 by 2", {},
                4 * 64 * (112 * 112 + 56 * 56), 4 * 64 * (112 * 112 + 56 * 56));
    // Two of eight experts of 512x1024.
    size_t expert = 3 * 4 * 512 * 1024;
    bench.layer("experts", "2 of 8, 512x1024", {1}, 2 * expert, 8 * expert);
    for (int64_t tokens : {512, 128, 16})
      bench.experts(tokens);
    bench.layer("gru_cell", "1024", {}, 4 * 6 * 1024 * 1024,
                4 * 6 * 1024 * 1024);
    bench.matmul(512, 64, 512);
    bench.matmul(512, 512, 64);
    auto moves = [&](const char *name, const char *size, size_t bytes) {
      bench.tensorOp(name, size, bytes, bytes);
    };
    moves("softmax", "6144x512", 2 * 4 * 6144 * 512);
    moves("layer_norm", "512x768", 2 * 4 * 512 * 768);
    moves("gelu", "512x3072", 2 * 4 * 512 * 3072);
    moves("transpose", "512x12x64", 2 * 4 * 512 * 12 * 64);
    moves("column_sums", "6144x512", 4 * 6144 * 512);
    bench.tensorOp("gather_rows", "512 of 8192x768", 2 * 4 * 512 * 768,
                   4 * (8192 + 512) * 768);
    for (const Encoder &encoder : encoders)
      bench.encoder(encoder.name, encoder.perToken, encoder.perPair);
    for (const std::string &model : models)
      bench.model(model);
  }
  heddle_threads_destroy(threads);
  return 0;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Bench.h"

#include <cstdio>

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
                    const PeerCase &peerCase,
                    const std::function<double()> &ours) {
  if (!isWanted(row.name))
    return;
  std::vector<Engine> engines = {{"heddle", ours}};
  std::vector<std::unique_ptr<PeerProcess>> processes;
  for (const Peer &peer : peers) {
    auto process = std::make_unique<PeerProcess>(peer, count, peerCase);
    if (process->measure() <= 0) // a round while nobody else measures: it loads
      continue;
    engines.push_back(
        {peer.name, [&process = *process] { return process.measure(); }});
    processes.push_back(std::move(process));
  }
  table.print(row, peak, work, std::move(engines));
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

void Bench::experts(const char *type, int64_t tokens) {
  std::string name = "experts " + std::string(type);
  if (!isWanted(name))
    return;
  Artifact artifact(folder, "experts_" + std::string(type), threads);
  Call call = {"run", {tokens}, {}};
  compare({name, "2 of 8, 512x1024, " + std::to_string(tokens)}, peakOf(type),
          2.0 * 2 * 3 * 512 * 1024 * double(tokens), {name, {tokens}},
          [&] { return artifact.timeCall(call); });
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

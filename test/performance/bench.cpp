// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench THREADS FOLDER [--only TEXT] [--peer NAME COMMAND]...
//   [--encoder MODEL MULTIPLICATIONS MULTIPLICATIONS]...
//   [--sequence-to-sequence MODEL POSITIONS]...
//   [--decoder MODEL MULTIPLICATIONS MULTIPLICATIONS NUMBERS]...
//
// Measures the kernels of test/performance/kernels (compiled into FOLDER) and
// whole models, next to the machine's peaks and to peers. bench.sh calls it;
// README.md says what the rows mean.

#include "test/performance/Bench.h"

#include <cstdlib>

int main(int argc, char **argv) {
  if (argc < 3)
    fail("usage: bench THREADS FOLDER [--only TEXT] [--peer NAME COMMAND]... "
         "[--encoder MODEL MULTIPLICATIONS MULTIPLICATIONS]... "
         "[--sequence-to-sequence MODEL POSITIONS]... "
         "[--decoder MODEL MULTIPLICATIONS MULTIPLICATIONS NUMBERS]...");
  std::string folder = argv[2], only;
  std::vector<Peer> peers;
  std::vector<std::pair<std::string, DecoderShape>> decoders;
  struct Encoder {
    std::string name;
    double perToken, perPair;
  };
  std::vector<Encoder> encoders;
  std::vector<std::pair<std::string, int64_t>> sequenceToSequence;
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
    } else if (argv[i] == std::string("--sequence-to-sequence") &&
               i + 2 < argc) {
      sequenceToSequence.emplace_back(argv[i + 1], std::atoll(argv[i + 2]));
      i += 2;
    } else if (argv[i] == std::string("--decoder") && i + 4 < argc) {
      decoders.emplace_back(argv[i + 1], DecoderShape{std::atof(argv[i + 2]),
                                                      std::atof(argv[i + 3]),
                                                      std::atof(argv[i + 4])});
      i += 4;
    } else {
      fail("unknown option '" + std::string(argv[i]) + "'");
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
    for (int64_t length : {128, 512, 2048, 8192}) {
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
    for (double length : {512, 2048})
      bench.attentionKind("d128", int64_t(length), length * length, "12x128",
                          12 * 256);
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
    for (const char *type : {"f32", "bf16", "int8", "int4"})
      for (int64_t tokens : {512, 128, 16})
        bench.experts(type, tokens);
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
    for (const auto &[model, positions] : sequenceToSequence)
      bench.sequenceToSequence(model, positions);
    for (const auto &[model, shape] : decoders)
      bench.decoder(model, shape);
  }
  heddle_threads_destroy(threads);
  return 0;
}

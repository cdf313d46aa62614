// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Bench.h"

#include <algorithm>
#include <utility>

constexpr int64_t kPrompt = 128, kTokens = 32, kCapacity = kPrompt + kTokens;

// Bits of each number of a matrix, with its part of a group's scale.
static double bitsOf(const std::string &type) {
  return type == "f32" ? 32 : type == "bf16" ? 16 : type == "int8" ? 8 : 4.5;
}

static std::string typeOf(const std::string &name) {
  return name.substr(name.rfind('_') + 1);
}

void Bench::decode(Artifact &artifact, const DecoderShape &shape,
                   const std::string &name, int64_t batch) {
  // Heads have 8 bits at least.
  double bits = bitsOf(typeOf(name)), bitsOfHead = bits < 8 ? 8.5 : bits;
  double positions = double(batch) * (kPrompt + double(kTokens) / 2);
  double bytes = (shape.layers * bits + shape.head * bitsOfHead) / 8 +
                 positions * shape.cache * sizeof(float);
  Peak reading = {"tokens/s", 1, [&artifact, batch, bytes, this] {
                    double rate =
                        measureReading(artifact.weightsMemory(), count);
                    return double(batch) * 1e9 * rate / bytes;
                  }};
  compare({name, "decode, batch " + std::to_string(batch)}, reading,
          double(batch * kTokens), {"decode", {batch, kPrompt, kTokens}, name},
          [&] {
            return artifact.time([&] {
              for (int32_t token = 0; token < kTokens; ++token)
                artifact.run(
                    {"decode",
                     artifact.sizes(
                         "decode", {{"batch", batch}, {"capacity", kCapacity}}),
                     {{"starts", int32_t(kPrompt + token)}, {"lengths", 1}}});
            });
          });
}

void Bench::prefill(Artifact &artifact, const DecoderShape &shape,
                    const std::string &name, int64_t length) {
  Call call = {
      "prefill",
      artifact.sizes("prefill",
                     {{"batch", 1}, {"length", length}, {"capacity", length}}),
      {{"starts", 0}, {"lengths", int32_t(length)}}};
  artifact.run(call); // reads the weights from disk
  Peak operations = peakOf(typeOf(name));
  Peak peak = {"tokens/s", 1, [=] {
                 return operations.measure() * operations.scale /
                        (2 * (shape.layers + shape.head / double(length)));
               }};
  compare({name, "prefill " + std::to_string(length)}, peak, double(length),
          {"prefill", {1, length}, name},
          [&] { return artifact.time([&] { artifact.run(call); }); });
}

void Bench::encoder(const std::string &name, double perToken, double perPair) {
  if (!isWanted(name))
    return;
  Artifact artifact(folder, name, threads);
  for (auto [batch, length] :
       {std::pair(1, 128), {1, 512}, {8, 128}, {8, 512}}) {
    Call call = {
        "encode",
        artifact.sizes("encode", {{"length", length}, {"batch", batch}}),
        {{"lengths", length}, {"types", 0}, {"token_type_ids", 0}}};
    artifact.run(call); // reads the weights from disk
    compare({name, std::to_string(batch) + "x" + std::to_string(length)},
            peakOf(typeOf(name)),
            2.0 * batch * length * (perToken + perPair * length),
            {"encode", {batch, length}, name},
            [&] { return artifact.time([&] { artifact.run(call); }); });
  }
}

void Bench::decoder(const std::string &name, const DecoderShape &shape) {
  if (!isWanted(name))
    return;
  Artifact artifact(folder, name, threads);
  for (int64_t length : {kPrompt, 4 * kPrompt})
    prefill(artifact, shape, name, length);
  for (int64_t batch : {1, 4, 8})
    decode(artifact, shape, name, batch);
}

void Bench::sequenceToSequence(const std::string &name, int64_t source) {
  if (!isWanted(name))
    return;
  const int64_t answer = 64;
  Artifact artifact(folder, name, threads);
  auto call = [&](const char *entry, int32_t start) {
    return Call{entry,
                artifact.sizes(entry, {{"batch", 1},
                                       {"source", source},
                                       {"length", start < 0 ? source : 1},
                                       {"capacity", answer}}),
                {{"starts", std::max(start, 0)},
                 {"lengths", start < 0 ? int32_t(source) : 1},
                 {"cross_lengths", int32_t(source)}}};
  };
  Call encode = call("encode", -1);
  auto translate = [&] {
    artifact.run(encode);
    artifact.run(call("prefill", 0));
    for (int32_t token = 1; token < answer; ++token)
      artifact.run(call("decode", token));
  };
  translate(); // reads the weights from disk
  std::string positions = std::to_string(source);
  compare({name, "encode " + positions}, {"tokens/s", 1, {}}, double(source),
          {"encode_source", {source}, name},
          [&] { return artifact.time([&] { artifact.run(encode); }); });
  compare({name, positions + " to " + std::to_string(answer) + " ids"},
          {"tokens/s", 1, {}}, double(answer),
          {"translate", {source, answer}, name},
          [&] { return artifact.time(translate); });
}

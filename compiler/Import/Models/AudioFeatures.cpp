// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Models/AudioFeatures.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

// Words in $ stand for numbers.
static constexpr StringLiteral kFunction = R"mlir(
func.func @features(
    %samples: tensor<?x$SAMPLES$xf32> {heddle.name = "samples", heddle.sizes = ["batch"]})
    -> (tensor<?x$BINS$x$FRAMES$xf32> {heddle.name = "features"}) {
  // Half a window is mirrored at both ends.
  %wave = heddle.generic over ["batch", 1, $MIRRORED$] tables(%samples : tensor<?x$SAMPLES$xf32>) {
  ^bb0(%table: tensor<?x$SAMPLES$xf32>):
    %half = arith.constant $HALF$ : i32
    %last = arith.constant $LAST$ : i32
    %b = heddle.index 0
    %i = heddle.index 2
    %0 = arith.subi %i, %half : i32
    %1 = math.absi %0 : i32
    %2 = arith.subi %last, %1 : i32
    %3 = math.absi %2 : i32
    %4 = arith.subi %last, %3 : i32
    %5 = heddle.read %table[%b, %4] : tensor<?x$SAMPLES$xf32>
    heddle.yield %5 : f32
  } : tensor<?x1x$MIRRORED$xf32>
  // A Fourier transform of each frame, in a window of Hann's.
  %cosines, %sines = heddle.generic over [$FREQUENCIES$, 1, $WINDOW$] {
    %window = arith.constant $WINDOW$ : i32
    %turn = arith.constant $TURN$ : f32
    %half = arith.constant 0.5 : f32
    %k = heddle.index 0
    %n = heddle.index 2
    // The angle is one of a circle, so that it is small.
    %0 = arith.muli %k, %n : i32
    %1 = arith.remsi %0, %window : i32
    %2 = arith.sitofp %1 : i32 to f32
    %angle = arith.mulf %2, %turn : f32
    %3 = math.cos %angle : f32
    %4 = math.sin %angle : f32
    %5 = arith.sitofp %n : i32 to f32
    %6 = arith.mulf %5, %turn : f32
    %7 = math.cos %6 : f32
    %8 = arith.mulf %7, %half : f32
    %hann = arith.subf %half, %8 : f32
    %9 = arith.mulf %3, %hann : f32
    %10 = arith.mulf %4, %hann : f32
    heddle.yield %9, %10 : f32, f32
  } : tensor<$FREQUENCIES$x1x$WINDOW$xf32>, tensor<$FREQUENCIES$x1x$WINDOW$xf32>
  %real = heddle.conv_1d %wave, %cosines stride($HOP$) padding(0) dilation(1) groups(1) : tensor<?x1x$MIRRORED$xf32>, tensor<$FREQUENCIES$x1x$WINDOW$xf32>
  %imaginary = heddle.conv_1d %wave, %sines stride($HOP$) padding(0) dilation(1) groups(1) : tensor<?x1x$MIRRORED$xf32>, tensor<$FREQUENCIES$x1x$WINDOW$xf32>
  %0 = arith.mulf %real, %real : tensor<?x$FREQUENCIES$x$FRAMES$xf32>
  %1 = arith.mulf %imaginary, %imaginary : tensor<?x$FREQUENCIES$x$FRAMES$xf32>
  %power = arith.addf %0, %1 : tensor<?x$FREQUENCIES$x$FRAMES$xf32>
  // Triangles of equal area, each from one corner to the next but one.
  %corners = arith.constant dense<[$CORNERS$]> : tensor<$CORNERCOUNT$xf32>
  %filters = heddle.generic over [$BINS$, $FREQUENCIES$] tables(%corners : tensor<$CORNERCOUNT$xf32>) {
  ^bb0(%table: tensor<$CORNERCOUNT$xf32>):
    %zero = arith.constant 0.0 : f32
    %hertz = arith.constant $HERTZ$ : f32
    %one = arith.constant 1 : i32
    %area = arith.constant 2.0 : f32
    %m = heddle.index 0
    %m1 = arith.addi %m, %one : i32
    %m2 = arith.addi %m1, %one : i32
    %left = heddle.read %table[%m] : tensor<$CORNERCOUNT$xf32>
    %middle = heddle.read %table[%m1] : tensor<$CORNERCOUNT$xf32>
    %right = heddle.read %table[%m2] : tensor<$CORNERCOUNT$xf32>
    %k = heddle.index 1
    %2 = arith.sitofp %k : i32 to f32
    %frequency = arith.mulf %2, %hertz : f32
    %3 = arith.subf %frequency, %left : f32
    %4 = arith.subf %middle, %left : f32
    %rising = arith.divf %3, %4 : f32
    %5 = arith.subf %right, %frequency : f32
    %6 = arith.subf %right, %middle : f32
    %falling = arith.divf %5, %6 : f32
    %7 = arith.minimumf %rising, %falling : f32
    %8 = arith.maximumf %7, %zero : f32
    %9 = arith.subf %right, %left : f32
    %10 = arith.divf %area, %9 : f32
    %11 = arith.mulf %8, %10 : f32
    heddle.yield %11 : f32
  } : tensor<$BINS$x$FREQUENCIES$xf32>
  %mel = heddle.matmul %filters, %power : tensor<$BINS$x$FREQUENCIES$xf32>, tensor<?x$FREQUENCIES$x$FRAMES$xf32> -> tensor<?x$BINS$x$FRAMES$xf32>
  // Decibels up to 80 below the loudest.
  %logs = heddle.generic over ["batch", $BINS$, $FRAMES$] ins(%mel : tensor<?x$BINS$x$FRAMES$xf32>) maps [affine_map<(b, m, t) -> (b, m, t)>] {
  ^bb0(%x: f32):
    %least = arith.constant 1.0e-10 : f32
    %2 = arith.maximumf %x, %least : f32
    %3 = math.log10 %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x$BINS$x$FRAMES$xf32>
  %loudest = heddle.reduce max %logs axes [1, 2] : tensor<?x$BINS$x$FRAMES$xf32> -> tensor<?xf32>
  %features = heddle.generic over ["batch", $BINS$, $FRAMES$]
      ins(%logs, %loudest : tensor<?x$BINS$x$FRAMES$xf32>, tensor<?xf32>)
      maps [affine_map<(b, m, t) -> (b, m, t)>, affine_map<(b, m, t) -> (b)>] {
  ^bb0(%x: f32, %most: f32):
    %range = arith.constant 8.0 : f32
    %four = arith.constant 4.0 : f32
    %quarter = arith.constant 0.25 : f32
    %2 = arith.subf %most, %range : f32
    %3 = arith.maximumf %x, %2 : f32
    %4 = arith.addf %3, %four : f32
    %5 = arith.mulf %4, %quarter : f32
    heddle.yield %5 : f32
  } : tensor<?x$BINS$x$FRAMES$xf32>
  return %features : tensor<?x$BINS$x$FRAMES$xf32>
}
)mlir";

// Slaney's mel scale: linear up to 1000 Hz, which is 15 mel, and logarithmic
// above, where 27 mel are a factor of 6.4.
static double toHertz(double mel) {
  return mel < 15 ? mel * 200 / 3
                  : 1000 * std::exp((mel - 15) * std::log(6.4) / 27);
}

static double toMel(double hertz) {
  return hertz < 1000 ? hertz * 3 / 200
                      : 15 + std::log(hertz / 1000) * 27 / std::log(6.4);
}

// The frequencies at which triangles begin and end, the same number of mel
// apart.
static std::string cornersOf(const AudioDescription &audio) {
  double highest = toMel(audio.rate / 2.0);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(
      llvm::seq<int64_t>(0, audio.bins + 2), stream, [&](int64_t corner) {
        stream << llvm::format(
            "%.9e", toHertz(highest * double(corner) / double(audio.bins + 1)));
      });
  return text;
}

static std::string textOf(const AudioDescription &audio) {
  auto real = [](double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.9e", value);
    return text;
  };
  const int64_t window = audio.window, hop = audio.hop;
  const std::pair<StringRef, std::string> words[] = {
      {"$SAMPLES$", std::to_string(audio.samples())},
      {"$BINS$", std::to_string(audio.bins)},
      {"$FRAMES$", std::to_string(audio.frames)},
      {"$MIRRORED$", std::to_string((audio.frames - 1) * hop + window)},
      {"$HALF$", std::to_string(window / 2)},
      {"$LAST$", std::to_string(audio.samples() - 1)},
      {"$FREQUENCIES$", std::to_string(window / 2 + 1)},
      {"$WINDOW$", std::to_string(window)},
      {"$HOP$", std::to_string(hop)},
      {"$TURN$", real(2 * M_PI / double(window))},
      {"$HERTZ$", real(double(audio.rate) / double(window))},
      {"$CORNERS$", cornersOf(audio)},
      {"$CORNERCOUNT$", std::to_string(audio.bins + 2)}};
  std::string text = kFunction.str();
  for (const auto &[word, number] : words) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
      text.replace(at, word.size(), number);
  }
  return text;
}

void heddle::buildAudioFeatures(ModelBuilder &m,
                                const AudioDescription &audio) {
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(
      textOf(audio), ParserConfig(m.b.getContext()), "features");
  auto function = *parsed->getOps<func::FuncOp>().begin();
  function->remove();
  m.b.insert(function);
}

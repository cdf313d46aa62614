// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Parallel.h"

using namespace mlir;

namespace heddle::reference {

// The bias is one more term of the sum.
static std::optional<ApproxTensor> biasOf(mlir::Value name,
                                          const Operands &operands) {
  if (!name)
    return std::nullopt;
  return operands[name];
}

namespace {
/// Windows over an input [batch, channels, ...]: for each tap, the last
/// dimension fastest, the place of its element among those of a channel; none
/// where the input has none.
class WindowView {
public:
  WindowView(const Windows &windows, ArrayRef<int64_t> shape)
      : windows(windows), lengths(shape.drop_front(2)) {
    for (auto [window, length] : llvm::zip_equal(windows, lengths))
      counts.push_back(window.count(length));
  }

  /// How many windows each dimension has.
  ArrayRef<int64_t> getCounts() const { return counts; }
  bool fits() const {
    return llvm::all_of(counts, [](int64_t count) { return count > 0; });
  }

  /// The places of all taps of one window.
  SmallVector<std::optional<int64_t>> operator[](int64_t number) const {
    SmallVector<int64_t> first(windows.size());
    for (unsigned k = windows.size(); k-- > 0; number /= counts[k])
      first[k] = number % counts[k] * windows[k].stride - windows[k].low;
    SmallVector<std::optional<int64_t>> places{0};
    for (auto [window, begin, length] :
         llvm::zip_equal(windows, first, lengths)) {
      SmallVector<std::optional<int64_t>> outer = std::move(places);
      places.clear();
      for (std::optional<int64_t> place : outer)
        for (int64_t tap = 0; tap < window.taps; ++tap) {
          int64_t at = begin + tap * window.dilation;
          bool isInside = place && at >= 0 && at < length;
          places.push_back(isInside ? std::optional(*place * length + at)
                                    : std::nullopt);
        }
    }
    return places;
  }

private:
  Windows windows;
  ArrayRef<int64_t> lengths;
  SmallVector<int64_t> counts;
};
} // namespace

static int64_t elementsOf(ArrayRef<int64_t> shape) {
  return ShapedType::getNumElements(shape);
}

template <typename Op>
static llvm::Error failWindows(Op op, ArrayRef<int64_t> shape) {
  return fail(op, "expected an input as long as windows reach, found [" +
                      llvm::join(llvm::map_range(shape,
                                                 [](int64_t size) {
                                                   return std::to_string(size);
                                                 }),
                                 ", ") +
                      "]");
}

// conv(x, W, b)[n, o, p]
//   = b[o] + sum over (i, k) of W[o, i, k] * x[n, g * I + i, p']
// with g = o div (O / groups), and p' what window p sees at tap k, of which x
// is 0 where there is none.
template <typename Op>
static llvm::Expected<ApproxTensors> convolve(Op op, const Operands &operands) {
  ApproxTensor x = operands[op.getInput()], w = operands[op.getWeight()];
  std::optional<ApproxTensor> bias = biasOf(op.getBias(), operands);
  WindowView view(op.getWindows(), x.shape);
  if (!view.fits())
    return failWindows(op, x.shape);
  int64_t channels = x.shape[1], outputs = w.shape[0], inputs = w.shape[1];
  int64_t places = elementsOf(ArrayRef(x.shape).drop_front(2));
  int64_t taps = elementsOf(ArrayRef(w.shape).drop_front(2));
  int64_t perGroup = outputs / int64_t(op.getGroups());
  SmallVector<int64_t> shape{x.shape[0], outputs};
  llvm::append_range(shape, view.getCounts());
  int64_t windows = elementsOf(view.getCounts());
  ApproxTensor y = ApproxTensor::ofShape(shape);
  llvm::parallelFor(0, x.shape[0] * outputs, [&](size_t row) {
    int64_t n = int64_t(row) / outputs, o = int64_t(row) % outputs;
    int64_t first = n * channels + o / perGroup * inputs;
    for (int64_t p = 0; p < windows; ++p) {
      Sum sum;
      for (auto [tap, place] : llvm::enumerate(view[p]))
        for (int64_t i = 0; i < inputs; ++i)
          sum.add(w.data[(o * inputs + i) * taps + tap] *
                  (place ? x.data[(first + i) * places + *place] : Approx()));
      if (bias)
        sum.add(bias->data[o]);
      y.data[int64_t(row) * windows + p] = sum.result();
    }
  });
  return ApproxTensors{y};
}

static llvm::Expected<ApproxTensors> compute(Conv1DOp op,
                                             const Operands &operands) {
  return convolve(op, operands);
}

static llvm::Expected<ApproxTensors> compute(Conv2DOp op,
                                             const Operands &operands) {
  return convolve(op, operands);
}

// The maximum or the mean of what each window has.
static llvm::Expected<ApproxTensors> compute(Pool2DOp op,
                                             const Operands &operands) {
  ApproxTensor x = operands[op.getInput()];
  WindowView view(op.getWindows(), x.shape);
  if (!view.fits())
    return failWindows(op, x.shape);
  SmallVector<int64_t> shape{x.shape[0], x.shape[1]};
  llvm::append_range(shape, view.getCounts());
  int64_t places = elementsOf(ArrayRef(x.shape).drop_front(2));
  int64_t windows = elementsOf(view.getCounts());
  ApproxTensor y = ApproxTensor::ofShape(shape);
  llvm::parallelFor(0, x.shape[0] * x.shape[1], [&](size_t row) {
    for (int64_t p = 0; p < windows; ++p) {
      SmallVector<Approx> seen;
      for (std::optional<int64_t> place : view[p])
        if (place)
          seen.push_back(x.data[int64_t(row) * places + *place]);
      Approx &result = y.data[int64_t(row) * windows + p];
      if (op.getKind() == ReductionKind::Max) {
        result = maximumOf(seen);
        continue;
      }
      Sum sum;
      for (Approx element : seen)
        sum.add(element);
      if (!seen.empty())
        result = sum.result() / Approx::constant(double(seen.size()));
    }
  });
  return ApproxTensors{y};
}

// patch_embedding(x, F, b)[n, t, o] = b[o]
//   + sum_(c, i, j) F[o, c, i, j] * x[n, c, (t div w) * p + i, (t mod w) * p +
//   j]
static llvm::Expected<ApproxTensors> compute(PatchEmbeddingOp op,
                                             const Operands &operands) {
  ApproxTensor x = operands[op.getInput()], f = operands[op.getWeight()];
  std::optional<ApproxTensor> bias = biasOf(op.getBias(), operands);
  int64_t batch = x.shape[0], channels = x.shape[1];
  int64_t outputs = f.shape[0], p = f.shape[2];
  int64_t height = x.shape[2] / p, width = x.shape[3] / p;
  ApproxTensor y = ApproxTensor::ofShape({batch, height * width, outputs});
  llvm::parallelFor(0, batch * height * width, [&](size_t row) {
    int64_t n = int64_t(row) / (height * width);
    int64_t t = int64_t(row) % (height * width);
    for (int64_t o = 0; o < outputs; ++o) {
      Sum sum;
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t i = 0; i < p; ++i)
          for (int64_t j = 0; j < p; ++j)
            sum.add(f.at({o, c, i, j}) *
                    x.at({n, c, t / width * p + i, t % width * p + j}));
      if (bias)
        sum.add(bias->data[o]);
      y.at({n, t, o}) = sum.result();
    }
  });
  return ApproxTensors{y};
}

void registerConvolution(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachComputed<Conv1DOp, Conv2DOp, PatchEmbeddingOp, Pool2DOp>(context);
  });
}

} // namespace heddle::reference

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/TestData.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/tools/heddle-run/ArrayFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace heddle;
using namespace llvm;

Expected<std::optional<NpyArray>> heddle::readTestArray(StringRef folder,
                                                        StringRef kind,
                                                        int64_t number,
                                                        heddle_type type) {
  SmallString<128> path(folder);
  sys::path::append(path, kind + "_" + Twine(number) + ".pb");
  if (!sys::fs::exists(path))
    return std::nullopt;
  auto array = readTensorArray(path, type);
  if (!array)
    return array.takeError();
  return std::move(*array);
}

// The index of an element, as NumPy writes it.
static std::string placeOf(ArrayRef<int64_t> shape, int64_t element) {
  SmallVector<int64_t> index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return formatv("[{0:$[, ]}]", make_range(index.begin(), index.end()));
}

Error heddle::compareArrays(StringRef name, const NpyArray &found,
                            const NpyArray &expected, Tolerance tolerance) {
  if (found.shape != expected.shape)
    return createStringError("output '" + name + "' has shape " +
                             describeShape(found.shape) + ", expected " +
                             describeShape(expected.shape));
  int64_t worst = -1, wrong = 0;
  double furthest = 0, at = 0, wanted = 0;
  auto load = [&](const NpyArray &array, int64_t i) {
    return loadNumber(reinterpret_cast<const uint8_t *>(array.data.data()),
                      array.type, i);
  };
  int64_t count = expected.data.size() / bytesOfElement(expected.type);
  for (int64_t i = 0; i < count; ++i) {
    double x = load(found, i), y = load(expected, i);
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double excess = std::abs(x - y) /
                    (tolerance.absolute + tolerance.relative * std::abs(y));
    if (excess <= 1)
      continue;
    ++wrong;
    if (worst >= 0 && !(excess > furthest))
      continue;
    worst = i;
    furthest = excess;
    at = x;
    wanted = y;
  }
  if (worst < 0)
    return Error::success();
  return createStringError(
      "output '" + name + "': " + Twine(wrong) + " of " + Twine(count) +
      " elements are off, the furthest at " + placeOf(expected.shape, worst) +
      ": " + formatv("{0:e6}, expected {1:e6}", at, wanted).str());
}

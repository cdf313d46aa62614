// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/SafeTensorsHeader.h"

#include "compiler/Import/ElementFormats.h"
#include "compiler/Import/JsonFields.h"
#include "dialect/Heddle/ElementTypes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <tuple>

using namespace llvm;
using namespace heddle;

/// The reference implementation's limit.
static constexpr uint64_t maxHeaderSize = 100'000'000;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The size of a dense tensor; nullopt if it does not fit int64_t. A zero does
/// not excuse dimensions that overflow: strides are products of some of them.
static std::optional<int64_t> byteSize(ArrayRef<int64_t> shape,
                                       int64_t elementBytes) {
  int64_t product = elementBytes;
  bool empty = false;
  for (int64_t size : shape) {
    empty |= size == 0;
    if (MulOverflow(product, std::max<int64_t>(size, 1), product))
      return std::nullopt;
  }
  return empty ? 0 : product;
}

/// The tensor that `value` describes; `data` is all the data of the file.
static Expected<TensorEntry> readEntry(StringRef name, const json::Value &value,
                                       StringRef file, ArrayRef<uint8_t> data) {
  std::string where = (file + ": tensor '" + name + "'").str();
  const json::Object *object = value.getAsObject();
  if (!object)
    return makeError(where + ": expected an object, got " + describe(value));

  JsonFields fields(*object, where);
  StringRef dtypeName = fields.text("dtype");
  SmallVector<int64_t> shape = fields.integers("shape", 0, INT64_MAX);
  SmallVector<int64_t> range = fields.integers("data_offsets", 0, INT64_MAX);
  if (!fields.failed() && range.size() != 2)
    fields.fail("data_offsets", "[begin, end]");
  for (StringRef key : sortedKeys(*object))
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      fields.rejectUnknown(key);
  if (Error error = fields.takeError())
    return error;

  uint64_t begin = range[0], end = range[1];
  if (begin > end)
    fields.fail("data_offsets", "begin <= end");
  else if (end > data.size())
    fields.fail("data_offsets",
                "an end within the file's " + Twine(data.size()) +
                    " bytes of data",
                Twine(end));

  // Of types that are not known no size can be checked.
  std::optional<heddle_type> type;
  for (const ElementType &known : elementTypes())
    if (known.checkpoint == dtypeName)
      type = known.type;
  if (type) {
    std::optional<int64_t> bytes = byteSize(shape, bytesOfElement(*type));
    if (!bytes)
      fields.fail("shape", "a size in bytes that fits 64 bits");
    else if (end - begin != uint64_t(*bytes))
      fields.fail("data_offsets",
                  Twine(*bytes) + " bytes (" + dtypeName + " " +
                      describe(*object->get("shape")) + ")",
                  Twine(end - begin) + " bytes");
  }
  if (Error error = fields.takeError())
    return error;
  return TensorEntry{name.str(),
                     type,
                     dtypeName.str(),
                     std::move(shape),
                     data.slice(begin, end - begin),
                     file.str()};
}

/// Free text that tools leave; only its form is checked. MLX writes null.
static Error checkMetadata(const json::Value &metadata, StringRef file) {
  if (metadata.getAsNull())
    return Error::success();
  std::string where = (file + ": '__metadata__'").str();
  const json::Object *object = metadata.getAsObject();
  if (!object)
    return makeError(where + ": expected an object, got " + describe(metadata));
  JsonFields fields(*object, where);
  for (StringRef key : sortedKeys(*object))
    fields.text(key);
  return fields.takeError();
}

/// Sorts by position and demands that the tensors tile the data exactly.
static Error checkTiling(std::vector<TensorEntry> &tensors, StringRef file,
                         ArrayRef<uint8_t> data) {
  sort(tensors, [](const TensorEntry &a, const TensorEntry &b) {
    return std::make_tuple(a.data.begin(), a.data.size(), StringRef(a.name)) <
           std::make_tuple(b.data.begin(), b.data.size(), StringRef(b.name));
  });
  uint64_t covered = 0;
  std::string before = "the start of the data";
  for (const TensorEntry &tensor : tensors) {
    uint64_t begin = tensor.data.begin() - data.begin();
    if (begin != covered)
      return makeError(
          file + ": tensor '" + tensor.name +
          "': field 'data_offsets': expected to begin at " + Twine(covered) +
          " (" + before + "), got " + Twine(begin) +
          (begin < covered ? ": tensors must not overlap"
                           : ": bytes between tensors are not allowed"));
    covered += tensor.data.size();
    before = "the end of '" + tensor.name + "'";
  }
  if (covered != data.size())
    return makeError(file + ": expected " + Twine(covered) +
                     " bytes of data (" + before + "), got " +
                     Twine(data.size()) + ": trailing bytes are not allowed");
  return Error::success();
}

Expected<std::vector<TensorEntry>>
heddle::readSafeTensorsHeader(StringRef bytes, StringRef file) {
  uint64_t headerSize = support::endian::read64le(bytes.data());
  if (headerSize > maxHeaderSize)
    return makeError(file + ": header length: expected at most " +
                     Twine(maxHeaderSize) + " bytes, got " + Twine(headerSize));
  if (headerSize > bytes.size() - 8)
    return makeError(file + ": header length: expected at most the " +
                     Twine(bytes.size() - 8) +
                     " bytes that follow it in the file, got " +
                     Twine(headerSize));
  StringRef text = bytes.substr(8, headerSize);
  if (!text.starts_with("{"))
    return makeError(file + ": header: expected a JSON object, beginning with "
                            "'{'");
  Expected<json::Object> object =
      parseJsonObject(text, (file + ": header").str());
  if (!object)
    return object.takeError();

  ArrayRef<uint8_t> data = arrayRefFromStringRef(bytes.substr(8 + headerSize));
  std::vector<TensorEntry> tensors;
  for (StringRef name : sortedKeys(*object)) {
    const json::Value &value = *object->get(name);
    if (name == "__metadata__") {
      if (Error error = checkMetadata(value, file))
        return error;
      continue;
    }
    Expected<TensorEntry> tensor = readEntry(name, value, file, data);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  if (Error error = checkTiling(tensors, file, data))
    return error;
  return tensors;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Npy.h"

#include "compiler/Support/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

// The magic is followed by two bytes of version.
static constexpr StringLiteral magic("\x93NUMPY");
static constexpr size_t versionEnd = magic.size() + 2;
/// The data starts at a multiple of this.
static constexpr size_t dataAlignment = 64;

namespace {

/// What the dictionary says.
struct Header {
  std::string descr;
  bool isFortranOrder = false;
  SmallVector<int64_t> shape;
};

/// Reads a header such as
///   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderReader {
public:
  explicit HeaderReader(StringRef text) : rest(text) {}

  std::optional<Header> read() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take("{"))
      return std::nullopt;
    while (!take("}")) {
      std::optional<StringRef> key = quoted();
      if (!key || !take(":"))
        return std::nullopt;
      bool *seen = *key == "descr"           ? &hasDescr
                   : *key == "fortran_order" ? &hasOrder
                   : *key == "shape"         ? &hasShape
                                             : nullptr;
      if (!seen || std::exchange(*seen, true))
        return std::nullopt;
      bool isRead = seen == &hasDescr   ? readType(header.descr)
                    : seen == &hasOrder ? readFlag(header.isFortranOrder)
                                        : readShape(header.shape);
      if (!isRead || (!take(",") && !rest.starts_with("}")))
        return std::nullopt;
    }
    skipSpace();
    if (!rest.empty() || !hasDescr || !hasOrder || !hasShape)
      return std::nullopt;
    return header;
  }

private:
  void skipSpace() { rest = rest.ltrim(" \t\n"); }

  bool take(StringRef token) {
    skipSpace();
    bool taken = rest.consume_front(token);
    skipSpace();
    return taken;
  }

  std::optional<StringRef> quoted() {
    skipSpace();
    StringRef quote = rest.take_front();
    if (quote != "'" && quote != "\"")
      return std::nullopt;
    size_t end = rest.find(quote, 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }

  bool readType(std::string &descr) {
    if (std::optional<StringRef> text = quoted()) {
      descr = text->str();
      return true;
    }
    // A list of fields, which no tensor has: its text up to the bracket.
    if (!rest.starts_with("["))
      return false;
    size_t end = rest.find(']');
    if (end == StringRef::npos)
      return false;
    descr = rest.take_front(end + 1).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  bool readFlag(bool &flag) {
    flag = take("True");
    return flag || take("False");
  }

  bool readShape(SmallVector<int64_t> &shape) {
    if (!take("("))
      return false;
    while (!take(")")) {
      uint64_t extent;
      if (rest.consumeInteger(10, extent) || extent > INT64_MAX)
        return false;
      shape.push_back(static_cast<int64_t>(extent));
      if (!take(",") && !rest.starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
};

} // namespace

StringRef heddle::npyType(heddle_type type) {
  switch (type) {
  case HEDDLE_TYPE_F32:
    return "<f4";
  case HEDDLE_TYPE_BF16:
    return "<V2";
  case HEDDLE_TYPE_F16:
    return "<f2";
  case HEDDLE_TYPE_I32:
    return "<i4";
  case HEDDLE_TYPE_I8:
    return "|i1";
  case HEDDLE_TYPE_I64:
    return "<i8";
  case HEDDLE_TYPE_I1:
    return "|b1";
  case HEDDLE_TYPE_F64:
    return "<f8";
  case HEDDLE_TYPE_I16:
    return "<i2";
  case HEDDLE_TYPE_U8:
    return "|u1";
  case HEDDLE_TYPE_U16:
    return "<u2";
  case HEDDLE_TYPE_U32:
    return "<u4";
  case HEDDLE_TYPE_U64:
    return "<u8";
  case HEDDLE_TYPE_F8E4M3:
  case HEDDLE_TYPE_F8E5M2:
    return "|V1";
  }
  llvm_unreachable("all types are covered");
}

bool heddle::isNpyType(heddle_type type, StringRef descr) {
  StringRef known = npyType(type);
  bool isBits = (known == "<V2" && (descr == "|V2" || descr == "<u2")) ||
                (known == "|V1" && (descr == "<V1" || descr == "|u1"));
  return isBits || descr == known;
}

std::optional<uint64_t> heddle::npyDataSize(heddle_type type,
                                            ArrayRef<int64_t> shape) {
  std::optional<int64_t> size = heddle_type_size(type);
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    size = checkedMul(*size, extent);
    if (!size)
      return std::nullopt;
  }
  return static_cast<uint64_t>(*size);
}

std::string heddle::describeShape(ArrayRef<int64_t> shape) {
  return formatv("({0:$[, ]}{1})", make_range(shape.begin(), shape.end()),
                 shape.size() == 1 ? "," : "")
      .str();
}

Expected<heddle::NpyArray> heddle::parseNpy(StringRef bytes, StringRef name,
                                            heddle_type expected) {
  std::string file = name.str();
  if (!bytes.starts_with(magic) || bytes.size() < versionEnd)
    return createStringError("%s is not a .npy file", file.c_str());
  unsigned major = static_cast<uint8_t>(bytes[magic.size()]);
  unsigned minor = static_cast<uint8_t>(bytes[magic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0)
    return createStringError("%s has .npy version %u.%u, expected 1.0 to 3.0",
                             file.c_str(), major, minor);
  size_t lengthSize = major == 1 ? 2 : 4;
  size_t headerBegin = versionEnd + lengthSize;
  uint64_t length = 0;
  if (bytes.size() >= headerBegin)
    length = major == 1 ? support::endian::read16le(bytes.data() + versionEnd)
                        : support::endian::read32le(bytes.data() + versionEnd);
  if (bytes.size() < headerBegin || bytes.size() - headerBegin < length)
    return createStringError("%s is truncated in its header", file.c_str());

  std::optional<Header> header =
      HeaderReader(bytes.substr(headerBegin, length)).read();
  if (!header)
    return createStringError("%s has a header that is not one of NumPy",
                             file.c_str());
  if (!isNpyType(expected, header->descr))
    return createStringError("%s has elements of type '%s', expected '%s'",
                             file.c_str(), header->descr.c_str(),
                             npyType(expected).data());
  if (header->isFortranOrder && header->shape.size() > 1)
    return createStringError("%s is in Fortran order, expected C order",
                             file.c_str());
  StringRef data = bytes.drop_front(headerBegin + length);
  std::optional<uint64_t> size = npyDataSize(expected, header->shape);
  if (!size || *size != data.size())
    return createStringError(
        "%s has %zu bytes of data, expected %s for shape %s", file.c_str(),
        data.size(), size ? utostr(*size).c_str() : "more than there can be",
        describeShape(header->shape).c_str());
  return NpyArray{expected, header->shape,
                  std::vector<char>(data.begin(), data.end())};
}

Expected<heddle::NpyArray> heddle::readNpy(StringRef path,
                                           heddle_type expected) {
  auto buffer = readRegularFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseNpy((*buffer)->getBuffer(), path, expected);
}

std::string heddle::formatNpy(const NpyArray &array) {
  std::string header =
      formatv("{{'descr': '{0}', 'fortran_order': False, 'shape': {1}, }",
              npyType(array.type), describeShape(array.shape))
          .str();
  // The header ends with a newline, and the data starts aligned.
  size_t lengthSize = header.size() + dataAlignment > UINT16_MAX ? 4 : 2;
  size_t begin = versionEnd + lengthSize;
  size_t length = alignTo(begin + header.size() + 1, dataAlignment) - begin;
  header.append(length - 1 - header.size(), ' ');
  header.push_back('\n');

  std::string file = magic.str();
  file.push_back(lengthSize == 2 ? 1 : 2);
  file.push_back(0);
  for (size_t i = 0; i < lengthSize; ++i)
    file.push_back(static_cast<char>(length >> (8 * i)));
  file += header;
  file.append(array.data.begin(), array.data.end());
  return file;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/FileKinds.h"

#include "compiler/Support/Files.h"
#include "runtime/heddle_abi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Path.h"

#include <vector>

using namespace llvm;
using namespace heddle;

// The byte at `index`, or 0 behind the end.
static uint8_t byteAt(StringRef contents, size_t index) {
  return index < contents.size() ? contents[index] : 0;
}

// The length of the header, and the header.
// (https://github.com/huggingface/safetensors, README, "Format")
static bool startsSafeTensors(StringRef contents) {
  return byteAt(contents, 8) == '{' &&
         support::endian::read64le(contents.data()) <= 100'000'000;
}

static bool isJson(StringRef contents) {
  contents = contents.ltrim();
  return contents.consume_front("{") && (contents.ltrim().starts_with("\"") ||
                                         contents.ltrim().starts_with("}"));
}

// A local header, whose name begins at byte 30.
// (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.7)
static StringRef firstNameInZip(StringRef contents) {
  if (!contents.starts_with("PK\3\4") || contents.size() < 30)
    return "";
  return contents.substr(30, support::endian::read16le(contents.data() + 26));
}

// A ModelProto: field 1, ir_version, then a string, the graph or an opset.
// (https://github.com/onnx/onnx, onnx.proto)
static bool isOnnx(StringRef contents) {
  uint8_t version = byteAt(contents, 1), tag = byteAt(contents, 2);
  bool isString = (tag == 0x12 || tag == 0x1a || tag == 0x22) &&
                  isPrint(char(byteAt(contents, 4)));
  return byteAt(contents, 0) == 0x08 && version >= 3 && version < 32 &&
         (isString || tag == 0x3a || tag == 0x42);
}

// A map whose first key is a string.
// (https://github.com/msgpack/msgpack, spec.md)
static bool isMessagePack(StringRef contents) {
  uint8_t first = byteAt(contents, 0);
  size_t key = first == 0xde ? 3 : first == 0xdf ? 5 : 1;
  uint8_t string = byteAt(contents, key);
  return ((first > 0x80 && first < 0x90) || key > 1) &&
         ((string > 0xa0 && string < 0xc0) || string == 0xd9) &&
         isPrint(char(byteAt(contents, key + 1 + (string == 0xd9))));
}

static constexpr StringLiteral asSafeTensors(
    "in Python, model.save_pretrained(FOLDER) writes the folder with "
    "safetensors that heddlec takes");
static constexpr StringLiteral asFolder(
    "expected the folder that it lies in, with config.json and safetensors");
static constexpr StringLiteral unpacked("expected what is in it, unpacked");

static bool startsGguf(StringRef contents) {
  return contents.starts_with("GGUF");
}

// The first that matches counts.
static const FileKind kinds[] = {
    {"MLIR bytecode, which mlir-opt turns into text", "", false,
     [](StringRef c) { return c.starts_with("ML\xefR"); }},
    {"a safetensors file",
     "expected it as model.safetensors in a folder with config.json, or beside "
     "a .mlir file of its name",
     true, startsSafeTensors},
    {"a GGUF file", "heddlec takes the file itself", true, startsGguf},
    {"an ONNX file", "heddlec takes the file itself", true, isOnnx},
    {"a PyTorch checkpoint", asSafeTensors, true,
     [](StringRef c) {
       StringRef name = firstNameInZip(c);
       return !name.empty() &&
              (c.contains("/data.pkl") ||
               (name.ends_with("/version") && c.contains("/.data/")));
     }},
    {"a PyTorch checkpoint", asSafeTensors, true,
     [](StringRef c) {
       return c.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20");
     }},
    {"a pickle of Python's", asSafeTensors, true,
     [](StringRef c) {
       return byteAt(c, 0) == 0x80 && byteAt(c, 1) >= 2 && byteAt(c, 1) <= 5;
     }},
    {"weights of Keras or TensorFlow in HDF5", asSafeTensors, true,
     [](StringRef c) { return c.starts_with("\x89HDF\r\n\x1a\n"); }},
    {"a model of Keras", asSafeTensors, true,
     [](StringRef c) {
       return firstNameInZip(c) == "metadata.json" && c.contains("keras");
     }},
    {"a TensorFlow SavedModel", asSafeTensors, true,
     [](StringRef c) {
       return c.starts_with(StringRef("\x08\x01\x12", 3)) && c.size() > 64;
     }},
    {"a TensorFlow Lite model", asSafeTensors, true,
     [](StringRef c) { return c.substr(4, 4) == "TFL3" && c.contains('\0'); }},
    {"weights of Flax in MessagePack", asSafeTensors, true, isMessagePack},
    {"arrays of NumPy (.npz)", "expected them as safetensors, with --weights",
     true, [](StringRef c) { return firstNameInZip(c).ends_with(".npy"); }},
    {"an array of NumPy (.npy)", "", false,
     [](StringRef c) { return c.starts_with("\x93NUMPY"); }},
    {"a pointer of Git LFS", "'git lfs pull' fetches the file", true,
     [](StringRef c) {
       return c.starts_with("version https://git-lfs.github.com/spec/");
     }},
    {"an ELF file, as heddlec makes",
     "expected the model that it is made of; such files are for heddle-run",
     false,
     [](StringRef c) {
       return c.starts_with("\x7f"
                            "ELF");
     }},
    {"a static library, as heddlec makes",
     "expected the model that it is made of; such files are for heddle-run",
     false, [](StringRef c) { return c.starts_with("!<arch>\n"); }},
    {"packed weights of heddlec's", "expected the model that they are made of",
     false, [](StringRef c) { return c.starts_with(HEDDLE_WEIGHTS_MAGIC); }},
    {"LLVM bitcode", "expected MLIR of linalg, tensor and heddle ops", false,
     [](StringRef c) { return c.starts_with("BC\xc0\xde"); }},
    {"a tokenizer.json", asFolder, false,
     [](StringRef c) {
       return isJson(c) && c.contains("\"added_tokens\"") &&
              c.contains("\"version\"");
     }},
    {"an index of safetensors", asFolder, false,
     [](StringRef c) { return isJson(c) && c.contains("\"weight_map\""); }},
    {"a config.json", asFolder, false,
     [](StringRef c) {
       return isJson(c) &&
              (c.contains("\"model_type\"") || c.contains("\"architectures\""));
     }},
    {"a JSON file", "expected a model's folder or a .mlir file", false, isJson},
    {"a SentencePiece tokenizer", asFolder, false,
     [](StringRef c) {
       return byteAt(c, 0) == 0x0a && byteAt(c, 2) == 0x0a &&
              c.take_front(64).contains("<unk>");
     }},
    {"an HTML page", "expected the file that it tells of", false,
     [](StringRef c) {
       return c.ltrim().starts_with_insensitive("<!doctype html") ||
              c.ltrim().starts_with_insensitive("<html");
     }},
    {"an XML file, such as OpenVINO's",
     "expected the Hugging Face folder that it was exported from, or MLIR text",
     false, [](StringRef c) { return c.ltrim().starts_with("<?xml"); }},
    {"a ZIP archive", unpacked, false,
     [](StringRef c) { return c.starts_with("PK\3\4"); }},
    {"a compressed file", unpacked, false,
     [](StringRef c) {
       return c.starts_with("\x1f\x8b") || c.starts_with("\x28\xb5\x2f\xfd") ||
              c.starts_with("\xfd"
                            "7zXZ") ||
              c.starts_with("BZh");
     }},
    {"a tar archive", unpacked, false,
     [](StringRef c) {
       return c.substr(257, 5) == "ustar" && c.contains('\0');
     }},
    {"a binary file of a kind that is not known",
     "expected a model's folder or a .mlir file", false,
     [](StringRef c) { return c.contains('\0'); }},
};

std::string FileKind::found() const {
  return ("found " + name + (advice.empty() ? "" : "; ") + advice).str();
}

bool FileKind::isSafeTensors() const { return matches == startsSafeTensors; }

bool FileKind::isGguf() const { return matches == startsGguf; }
bool FileKind::isOnnx() const { return matches == ::isOnnx; }

const FileKind *heddle::findFileKind(StringRef contents) {
  contents = contents.take_front(kFileKindBytes);
  const FileKind *kind = find_if(
      kinds, [&](const FileKind &each) { return each.matches(contents); });
  return kind == std::end(kinds) ? nullptr : kind;
}

const FileKind *heddle::findFileKindOf(StringRef path) {
  uint64_t size = 0;
  auto file = openRegularFile(path, size);
  if (!file) {
    consumeError(file.takeError());
    return nullptr;
  }
  scope_exit close([&] { (void)sys::fs::closeFile(*file); });
  std::string contents(std::min<uint64_t>(size, kFileKindBytes), '\0');
  auto read = sys::fs::readNativeFileSlice(
      *file, MutableArrayRef(contents.data(), contents.size()), 0);
  if (!read) {
    consumeError(read.takeError());
    return nullptr;
  }
  return findFileKind(StringRef(contents).take_front(*read));
}

std::optional<std::string> heddle::describeWeightsIn(StringRef folder) {
  std::vector<std::string> paths;
  std::error_code code;
  for (sys::fs::directory_iterator file(folder, code), end;
       !code && file != end; file.increment(code))
    paths.push_back(file->path());
  llvm::sort(paths);
  for (const std::string &path : paths)
    if (const FileKind *kind = findFileKindOf(path); kind && kind->holdsWeights)
      return ("'" + sys::path::filename(path) + "', " + kind->name + "; " +
              kind->advice)
          .str();
  return std::nullopt;
}

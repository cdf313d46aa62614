// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The inverse of what llama.cpp's convert_hf_to_gguf.py makes of a folder.

#include "runtime/text/GgufTokenizer.h"

#include "runtime/text/Failure.h"
#include "runtime/text/GgufSplits.h"
#include "runtime/text/GgufTokenizerParts.h"
#include "runtime/text/Utf8.h"

#include <algorithm>
#include <unordered_map>

using namespace heddle::text;

using Kind = GgufVocabulary::Kind;

//===-- byte-level --------------------------------------------------------===//

static Json readByteLevel(const GgufVocabulary &vocabulary, bool isGpt2,
                          SecondText second) {
  std::string name = vocabulary.text("pre");
  // Files of a time when all were cut alike have no name; GPT-2's own are cut
  // right.
  if (name.empty() && isGpt2)
    name = "gpt-2";
  const GgufSplits *splits = findGgufSplits(name);
  if (!splits)
    vocabulary.fail("pre", "one of " + ggufSplitNames());
  vocabulary.flag("add_space_prefix", false); // of SentencePiece's
  Json parts = Json::array();
  for (const char *expression : splits->expressions)
    parts.push_back({{"type", "Split"},
                     {"pattern", {{"Regex", expression}}},
                     {"behavior", "Isolated"},
                     {"invert", false}});
  Json bytes = {{"type", "ByteLevel"},
                {"add_prefix_space", false},
                {"trim_offsets", true},
                {"use_regex", false}};
  parts.push_back(bytes);
  Json merges = Json::array();
  for (const std::string &merge : vocabulary.merges()) {
    size_t space = merge.find(' ', 1);
    if (space == std::string::npos)
      vocabulary.fail("merges", "two tokens with a space between them");
    merges.push_back({merge.substr(0, space), merge.substr(space + 1)});
  }
  Json file = plainFile(vocabulary, /*stripsRight=*/false);
  if (splits->isNFC)
    file["normalizer"] = {{"type", "NFC"}};
  file["pre_tokenizer"] = sequence("pretokenizers", parts);
  file["model"] = {{"type", "BPE"},
                   {"ignore_merges", splits->ignoresMerges},
                   {"vocab", vocabulary.ids()},
                   {"merges", merges}};
  file["decoder"] = bytes;
  file["post_processor"] = around(
      readMarks(vocabulary, splits->addsStart, false, second), vocabulary);
  return file;
}

//===-- SentencePiece -----------------------------------------------------===//

namespace {
struct ScoredMerge {
  std::string_view left, right;
  double score;
  int64_t leftId, rightId;
  size_t leftLength, rightLength; ///< in characters
};
} // namespace

/// More than tokens of known models have, so that hostile ones take no time.
static constexpr size_t kLongestToken = 4096;

// All ways to make a token of two others, those of the best scores first: the
// order is that of generate_merges in transformers' convert_slow_tokenizer.py.
static Json mergesOf(const GgufVocabulary &vocabulary, const Json &ids) {
  const std::vector<double> &scores = vocabulary.scores();
  std::unordered_map<std::string_view, int64_t> known;
  for (auto entry = ids.begin(); entry != ids.end(); ++entry)
    known.emplace(entry.key(), entry->get<int64_t>());
  std::vector<ScoredMerge> merges;
  for (int64_t id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.kind(id) != Kind::Normal &&
        vocabulary.kind(id) != Kind::UserDefined)
      continue;
    std::string_view token = vocabulary.token(id);
    if (token.size() > kLongestToken)
      vocabulary.fail("tokens", "tokens of at most " +
                                    std::to_string(kLongestToken) + " bytes");
    std::vector<size_t> ends;
    for (size_t position = 0; position < token.size();) {
      nextCharacter(token, position);
      ends.push_back(position);
    }
    size_t first = merges.size();
    for (size_t length = 1; length < ends.size(); ++length) {
      std::string_view left = token.substr(0, ends[length - 1]),
                       right = token.substr(ends[length - 1]);
      auto leftId = known.find(left), rightId = known.find(right);
      if (leftId != known.end() && rightId != known.end())
        merges.push_back({left, right, scores[id], leftId->second,
                          rightId->second, length, ends.size() - length});
    }
    std::stable_sort(merges.begin() + first, merges.end(),
                     [](const ScoredMerge &a, const ScoredMerge &b) {
                       return std::pair(a.leftId, a.rightId) <
                              std::pair(b.leftId, b.rightId);
                     });
  }
  std::stable_sort(merges.begin(), merges.end(),
                   [](const ScoredMerge &a, const ScoredMerge &b) {
                     return std::tuple(a.score, a.leftLength, a.rightLength) >
                            std::tuple(b.score, b.leftLength, b.rightLength);
                   });
  Json list = Json::array();
  for (const ScoredMerge &merge : merges)
    list.push_back({merge.left, merge.right});
  return list;
}

static Json readSentencePiece(const GgufVocabulary &vocabulary,
                              bool stripsRight) {
  if (vocabulary.flag("remove_extra_whitespaces", false))
    vocabulary.fail("remove_extra_whitespaces", "false");
  // Some files say how they would be cut if they were byte-level.
  vocabulary.text("pre");
  vocabulary.find<std::vector<std::string>>("merges");
  bool hasPrefix = vocabulary.flag("add_space_prefix", true);
  Json normalizers = Json::array(), decoders = Json::array();
  if (hasPrefix)
    normalizers.push_back({{"type", "Prepend"}, {"prepend", kSpace}});
  normalizers.push_back(replace(" ", kSpace));
  decoders.push_back(replace(kSpace, " "));
  decoders.push_back({{"type", "ByteFallback"}});
  decoders.push_back({{"type", "Fuse"}});
  if (hasPrefix)
    decoders.push_back(
        {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  Json ids = vocabulary.ids();
  Json file = plainFile(vocabulary, stripsRight);
  file["normalizer"] = sequence("normalizers", normalizers);
  file["decoder"] = sequence("decoders", decoders);
  file["model"] = {{"type", "BPE"},
                   {"fuse_unk", true},
                   {"byte_fallback", true},
                   {"merges", mergesOf(vocabulary, ids)}};
  if (auto unknown = vocabulary.special("unknown"))
    file["model"]["unk_token"] = *unknown;
  file["model"]["vocab"] = std::move(ids);
  file["post_processor"] =
      around(readMarks(vocabulary, true, false, SecondText::Start), vocabulary);
  return file;
}

//===-- WordPiece ---------------------------------------------------------===//

// Tokens that begin a word have a mark, and others none.
static Json wordPieces(const GgufVocabulary &vocabulary) {
  Json ids = Json::object();
  std::string_view mark = kSpace;
  for (int64_t id = 0; id < vocabulary.size(); ++id) {
    const std::string &token = vocabulary.token(id);
    bool isSpecial =
        vocabulary.kind(id) != Kind::Normal ||
        (token.size() > 1 && token.front() == '[' && token.back() == ']');
    if (isSpecial)
      ids.emplace(token, id);
    else if (token.compare(0, mark.size(), mark) == 0)
      ids.emplace(token.substr(mark.size()), id);
    else
      ids.emplace("##" + token, id);
  }
  return ids;
}

static Json readWordPiece(const GgufVocabulary &vocabulary) {
  Json file = plainFile(vocabulary, /*stripsRight=*/false);
  auto unknown = vocabulary.special("unknown");
  auto end = separatorOf(vocabulary);
  auto start = vocabulary.special("cls");
  if (!start)
    start = vocabulary.special("bos");
  if (!start)
    vocabulary.fail("cls_token_id", "the id of a token");
  if (!end)
    vocabulary.fail("separator_token_id", "the id of a token");
  bool lowercase = vocabulary.flag("normalizer.lowercase", true);
  file["normalizer"] = {
      {"type", "BertNormalizer"},
      {"clean_text", true},
      {"handle_chinese_chars", true},
      {"strip_accents", vocabulary.flag("normalizer.strip_accents", lowercase)},
      {"lowercase", lowercase}};
  for (const char *name : {"add_bos_token", "add_sep_token"})
    if (!vocabulary.flag(name, true))
      vocabulary.fail(name, "true");
  // It is the separator that stands behind texts.
  vocabulary.flag("add_eos_token", false);
  vocabulary.flag("add_space_prefix", false);
  vocabulary.text("pre");
  vocabulary.find<std::vector<double>>("scores");
  file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  file["model"] = {{"type", "WordPiece"},
                   {"unk_token", unknown.value_or("[UNK]")},
                   {"continuing_subword_prefix", "##"},
                   {"max_input_chars_per_word", 100},
                   {"vocab", wordPieces(vocabulary)}};
  file["decoder"] = {
      {"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  file["post_processor"] = around({start, end, std::nullopt}, vocabulary);
  return file;
}

//===-- files -------------------------------------------------------------===//

/// Metadata, with vocabularies, of the largest files that are known take some
/// ten megabytes.
static constexpr size_t kFirstBytes = 1 << 20, kMostBytes = size_t(1) << 30;

static heddle::gguf::Header readHeader(const std::string &path) {
  heddle::gguf::Header header;
  for (size_t size = kFirstBytes;; size *= 4) {
    std::string bytes = readStart(path, size);
    heddle::gguf::ParseResult result = heddle::gguf::parse(bytes, header);
    if (!result.error.empty())
      throw Failure(path + ": " + result.error);
    if (!result.isCut)
      return header;
    if (bytes.size() < size || size >= kMostBytes)
      throw Failure(path + ": expected the whole header of a GGUF file, got " +
                    std::to_string(bytes.size()) +
                    " bytes, in which it does not end");
  }
}

// What chat templates, and programs that continue texts, read.
static Json configOf(const std::string &path,
                     const heddle::gguf::Header &header,
                     const GgufVocabulary &vocabulary) {
  Json config = Json::object();
  for (const auto &[name, field] :
       {std::pair("bos", "bos_token"), std::pair("eos", "eos_token"),
        std::pair("unknown", "unk_token"), std::pair("padding", "pad_token"),
        std::pair("separator", "sep_token"), std::pair("cls", "cls_token"),
        std::pair("mask", "mask_token")})
    if (auto token = vocabulary.special(name))
      config[field] = *token;
  constexpr const char *key = "tokenizer.chat_template";
  if (const auto *text = header.find<std::string>(key))
    config["chat_template"] = *text;
  else if (header.has(key))
    throw Failure(path + ": key '" + key + "': expected a string, got " +
                  heddle::gguf::describe(header.metadata.at(key)));
  return config;
}

static Json generationOf(const heddle::gguf::Header &header,
                         const GgufVocabulary &vocabulary) {
  Json ends = heddle::gguf::endIds(header, vocabulary.size());
  return ends.empty() ? Json::object() : Json{{"eos_token_id", ends}};
}

GgufFiles::GgufFiles(std::string path) : path(std::move(path)) {
  gguf::Header header = readHeader(this->path);
  const auto *kind = header.find<std::string>("tokenizer.ggml.model");
  if (!kind && header.has("tokenizer.ggml.model"))
    throw Failure(this->path +
                  ": key 'tokenizer.ggml.model': expected a "
                  "string, got " +
                  gguf::describe(header.metadata.at("tokenizer.ggml.model")));
  if (!kind || *kind == "none" || *kind == "no_vocab")
    return;
  GgufVocabulary vocabulary(header, this->path);
  const auto *name = header.find<std::string>("general.architecture");
  // RoBERTa has its separator twice between texts, ModernBERT once.
  SecondText second = name && *name == "bert"          ? SecondText::Separator
                      : name && *name == "modern-bert" ? SecondText::Nothing
                                                       : SecondText::Start;
  Json tokenizer;
  if (*kind == "gpt2")
    tokenizer = readByteLevel(vocabulary, name && *name == "gpt2", second);
  else if (*kind == "llama") // those of Phi-3 take spaces with them
    tokenizer = readSentencePiece(vocabulary, name && *name == "phi3");
  else if (*kind == "bert")
    tokenizer = readWordPiece(vocabulary);
  else if (*kind == "t5")
    tokenizer = readUnigram(vocabulary, second);
  else
    vocabulary.fail("model", "'gpt2', 'llama', 'bert' or 't5'");
  vocabulary.find<std::string>("model");
  vocabulary.find<std::vector<double>>("scores");
  vocabulary.rejectUnasked();
  auto print = [](const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  contents["tokenizer.json"] = print(tokenizer);
  contents["tokenizer_config.json"] =
      print(configOf(this->path, header, vocabulary));
  contents["generation_config.json"] = print(generationOf(header, vocabulary));
}

std::string GgufFiles::read(const std::string &name, size_t limit,
                            const char *kind) const {
  auto found = contents.find(name);
  if (found == contents.end())
    throw Failure(pathOf(name) + ": no such file", HEDDLE_IO_ERROR);
  if (found->second.size() > limit)
    throw Failure(pathOf(name) + ": expected at most " + std::to_string(limit) +
                  " bytes of " + kind + ", got " +
                  std::to_string(found->second.size()));
  return found->second;
}

Failure GgufFiles::missing(const std::string &) const {
  return Failure(path + ": key 'tokenizer.ggml.model': expected a tokenizer, "
                        "found none");
}

bool heddle::text::isGgufFile(const std::string &path) {
  try {
    return gguf::isGguf(readStart(path, 4));
  } catch (const Failure &) {
    return false; // whoever opens it says what it is
  }
}

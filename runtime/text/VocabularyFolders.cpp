// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders with vocab.txt, or with vocab.json and merges.txt: what transformers
// makes of them (convert_slow_tokenizer.py), as a tokenizer.json has it.

#include "runtime/text/BytePairEncoding.h"
#include "runtime/text/Files.h"
#include "runtime/text/TokenizerFolder.h"
#include "runtime/text/WordPiece.h"

using namespace heddle::text;

static constexpr size_t longestFile = 100'000'000;

static std::vector<std::string> readLines(const FileSet &files,
                                          const char *name) {
  std::string text = files.read(name, longestFile, "text");
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    size_t last = end > begin && text[end - 1] == '\r' ? end - 1 : end;
    lines.push_back(text.substr(begin, last - begin));
    begin = end + 1;
  }
  return lines;
}

static bool flag(const FolderTokens &tokens, const char *name, bool fallback) {
  Fields fields = tokens.fields();
  return fields.has(name) ? fields.boolean(name) : fallback;
}

//===-- vocab.txt ---------------------------------------------------------===//

static constexpr const char *vocabularyText = "vocab.txt";

/// A token on each line; of one that is there twice, the last line counts.
static Json readTokens(const FileSet &files) {
  Json vocabulary = Json::object();
  int32_t id = 0;
  for (std::string &line : readLines(files, vocabularyText))
    vocabulary[std::move(line)] = id++;
  return vocabulary;
}

TokenizerParts heddle::text::readWordPieceFolder(FolderKind kind,
                                                 const FileSet &files) {
  bool isMPNet = kind == FolderKind::MPNet;
  TokenizerParts parts;
  parts.path = files.pathOf(vocabularyText);
  Json model = {{"type", "WordPiece"},
                {"unk_token", "[UNK]"},
                {"continuing_subword_prefix", "##"},
                {"max_input_chars_per_word", 100},
                {"vocab", readTokens(files)}};
  // The unknown token may have another name, which needs the vocabulary.
  Vocabulary vocabulary = Vocabulary::fromJson(model, parts.path);
  FolderTokens tokens(files, vocabulary);
  if (isMPNet)
    tokens.addSpecial({{"bos_token", "<s>"},
                       {"eos_token", "</s>"},
                       {"unk_token", "[UNK]"},
                       {"sep_token", "</s>"},
                       {"pad_token", "<pad>"},
                       {"cls_token", "<s>"},
                       {"mask_token", "<mask>", /*lstrip=*/true}});
  else
    tokens.addSpecial({{"unk_token", "[UNK]"},
                       {"sep_token", "[SEP]"},
                       {"pad_token", "[PAD]"},
                       {"cls_token", "[CLS]"},
                       {"mask_token", "[MASK]"}});
  if (!flag(tokens, "do_basic_tokenize", true))
    tokens.fields().fail("do_basic_tokenize", "true");
  model["unk_token"] = tokens.contentOf("unk_token");
  const Json *accents = findField(tokens.config(), "strip_accents");
  parts.model = std::make_unique<WordPiece>(model, parts.path);
  parts.steps = {
      {"added_tokens", tokens.list()},
      {"normalizer",
       {{"type", "BertNormalizer"},
        {"clean_text", true},
        {"handle_chinese_chars", flag(tokens, "tokenize_chinese_chars", true)},
        {"strip_accents", accents ? *accents : Json()},
        {"lowercase", flag(tokens, "do_lower_case", true)}}},
      {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
      {"decoder",
       {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}}};
  int32_t cls = tokens.idOf("cls_token"), sep = tokens.idOf("sep_token");
  parts.postProcessor =
      PostProcessor(isMPNet ? Frame{{cls}, {sep, sep}, {sep}, 0}
                            : Frame{{cls}, {sep}, {sep}, 1});
  return parts;
}

//===-- vocab.json and merges.txt -----------------------------------------===//

/// "left right" on each line, behind one with the version.
static Json readMerges(const FileSet &files) {
  constexpr const char *name = "merges.txt";
  Json merges = Json::array();
  std::vector<std::string> lines = readLines(files, name);
  if (lines.empty() || lines[0].compare(0, 8, "#version") != 0)
    throw Failure(files.pathOf(name) +
                  ": expected a first line that begins with '#version', got '" +
                  (lines.empty() ? "" : lines[0].substr(0, 80)) + "'");
  for (size_t line = 1; line < lines.size(); ++line)
    if (!lines[line].empty())
      merges.push_back(std::move(lines[line]));
  return merges;
}

static std::vector<SpecialTokenDefault> specialTokens(FolderKind kind) {
  constexpr const char *end = "<|endoftext|>";
  if (kind == FolderKind::Clip)
    return {{"bos_token", "<|startoftext|>"},
            {"eos_token", end},
            {"unk_token", end},
            {"pad_token", end}};
  if (kind != FolderKind::Roberta)
    return {{"bos_token", end}, {"eos_token", end}, {"unk_token", end}};
  return {{"bos_token", "<s>"},
          {"eos_token", "</s>"},
          {"unk_token", "<unk>"},
          {"sep_token", "</s>"},
          {"pad_token", "<pad>"},
          {"cls_token", "<s>"},
          {"mask_token", "<mask>", /*lstrip=*/true}};
}

static PostProcessor frame(FolderKind kind, const FolderTokens &tokens) {
  Fields fields = tokens.fields();
  if (kind == FolderKind::Roberta) {
    int32_t sep = tokens.idOf("sep_token");
    return PostProcessor(
        Frame{{tokens.idOf("cls_token")}, {sep, sep}, {sep}, 0});
  }
  if (kind == FolderKind::Clip) {
    int32_t eos = tokens.idOf("eos_token");
    return PostProcessor(
        Frame{{tokens.idOf("bos_token")}, {eos, eos}, {eos}, 0});
  }
  if (kind == FolderKind::Whisper) {
    for (const char *field : {"language", "task"})
      if (fields.has(field))
        fields.fail(field, "null, as callers choose it");
    std::vector<int32_t> prefix = {tokens.idOfToken("<|startoftranscript|>")};
    if (!flag(tokens, "predict_timestamps", false))
      prefix.push_back(tokens.idOfToken("<|notimestamps|>"));
    return PostProcessor(Frame{prefix, {}, {tokens.idOf("eos_token")}, 0});
  }
  if (!flag(tokens, "add_bos_token", false))
    return {};
  return {tokens.idOf("bos_token"), std::nullopt};
}

TokenizerParts heddle::text::readByteLevelFolder(FolderKind kind,
                                                 const FileSet &files) {
  constexpr const char *name = "vocab.json";
  bool isClip = kind == FolderKind::Clip;
  TokenizerParts parts;
  parts.path = files.pathOf(name);
  Json model = {{"type", "BPE"},
                {"vocab", readJsonFile(files, name)},
                {"merges", readMerges(files)}};
  if (isClip) {
    model["end_of_word_suffix"] = "</w>";
    model["unk_token"] = "<|endoftext|>";
  }
  parts.model = std::make_unique<BytePairEncoding>(model, parts.path);
  FolderTokens tokens(files, parts.model->vocabulary);
  tokens.addSpecial(specialTokens(kind));
  Json bytes = {{"type", "ByteLevel"},
                {"add_prefix_space", flag(tokens, "add_prefix_space", false)},
                {"trim_offsets", true},
                {"use_regex", true}};
  parts.steps = {{"added_tokens", tokens.list()},
                 {"pre_tokenizer", bytes},
                 {"decoder", bytes}};
  if (isClip) {
    parts.steps["normalizer"] = Json::parse(R"({"type": "Sequence",
      "normalizers": [{"type": "NFC"},
        {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "},
        {"type": "Lowercase"}]})");
    parts.steps["pre_tokenizer"] = Json::parse(R"({"type": "Sequence",
      "pretokenizers": [{"type": "Split", "behavior": "Removed",
        "invert": true, "pattern": {"Regex":
        "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"}},
        {"type": "ByteLevel", "add_prefix_space": false,
         "trim_offsets": true, "use_regex": true}]})");
    parts.steps["decoder"] = Json::parse(R"({"type": "Sequence", "decoders": [
      {"type": "ByteLevel"},
      {"type": "Replace", "pattern": {"String": "</w>"}, "content": " "},
      {"type": "Strip", "content": " ", "start": 2147483647,
       "stop": 2147483647}]})");
  }
  parts.postProcessor = frame(kind, tokens);
  return parts;
}

// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders with SentencePiece models whose pieces have other ids, as
// transformers reads them (tokenization_t5.py, tokenization_xlm_roberta.py and
// the like).

#include "runtime/text/Files.h"
#include "runtime/text/SentencePieceModel.h"
#include "runtime/text/TokenizerFolder.h"

#include <iterator>

using namespace heddle::text;

using Processor = SentencePieceModel::Processor;

/// The pieces with their ids.
static Vocabulary piecesOf(const Processor &processor) {
  Vocabulary vocabulary;
  for (int32_t id = 0; id < processor.GetPieceSize(); ++id)
    vocabulary.add(processor.IdToPiece(id), id);
  return vocabulary;
}

/// fairseq has four tokens of its own in front, and behind them what is behind
/// three others here.
static Vocabulary fairseqPieces(const Processor &processor,
                                const std::string &path) {
  constexpr const char *expected[] = {"<unk>", "<s>", "</s>"};
  for (int32_t id = 0; id < 3; ++id)
    if (id >= processor.GetPieceSize() ||
        processor.IdToPiece(id) != expected[id])
      throw Failure(path +
                    ": expected the pieces <unk>, <s> and </s> first, "
                    "got '" +
                    (id < processor.GetPieceSize() ? processor.IdToPiece(id)
                                                   : std::string()) +
                    "'");
  Vocabulary vocabulary;
  for (const char *token : {"<s>", "<pad>", "</s>", "<unk>"})
    vocabulary.add(token, vocabulary.size());
  for (int32_t id = 3; id < processor.GetPieceSize(); ++id)
    vocabulary.add(processor.IdToPiece(id), id + 1);
  return vocabulary;
}

// Of mBART; the first 25 are those of its first version.
static constexpr const char *languages[] = {
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX",
    "gu_IN", "hi_IN", "it_IT", "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV",
    "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN",
    "zh_CN", "af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID",
    "ka_GE", "km_KH", "mk_MK", "ml_IN", "mn_MN", "mr_IN", "pl_PL", "ps_AF",
    "pt_XX", "sv_SE", "sw_KE", "ta_IN", "te_IN", "th_TH", "tl_XX", "uk_UA",
    "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};
static constexpr size_t languagesOfFirst = 25;

static int64_t readCount(const Fields &fields, const char *name,
                         int64_t fallback) {
  return fields.has(name) ? fields.integer(name, 10'000) : fallback;
}

/// Adds the tokens of the class, and says what is around texts.
static PostProcessor addTokens(FolderKind kind, FolderTokens &tokens) {
  Fields fields = tokens.fields();
  const SpecialTokenDefault unknown = {"unk_token", "<unk>"},
                            end = {"eos_token", "</s>"},
                            padding = {"pad_token", "<pad>"};
  if (kind == FolderKind::T5) {
    if (fields.has("legacy") && !fields.boolean("legacy"))
      fields.fail("legacy", "true: others need a tokenizer.json");
    for (int64_t index = readCount(fields, "extra_ids", 100); index-- > 0;)
      tokens.add("<extra_id_" + std::to_string(index) + ">", true, true);
    tokens.addSpecial({end, unknown, padding});
    int32_t eos = tokens.idOf(end.field);
    return PostProcessor(Frame{{}, {eos}, {eos}, 0});
  }
  if (kind == FolderKind::Marian) {
    tokens.addSpecial({end, unknown, padding});
    return PostProcessor(Frame{{}, {}, {tokens.idOf(end.field)}, 0});
  }
  size_t count = kind == FolderKind::MBart     ? languagesOfFirst
                 : kind == FolderKind::MBart50 ? std::size(languages)
                                               : 0;
  for (size_t index = 0; index < count; ++index)
    tokens.add(languages[index]);
  tokens.addSpecial({{"bos_token", "<s>"},
                     end,
                     unknown,
                     {"sep_token", "</s>"},
                     padding,
                     {"cls_token", "<s>"},
                     {"mask_token", "<mask>", /*lstrip=*/true}});
  if (kind == FolderKind::XlmRoberta) {
    int32_t sep = tokens.idOf("sep_token");
    return PostProcessor(
        Frame{{tokens.idOf("cls_token")}, {sep, sep}, {sep}, 0});
  }
  int32_t eos = tokens.idOf(end.field);
  int32_t source = tokens.idOfToken(
      fields.has("src_lang") ? fields.text("src_lang") : "en_XX");
  return PostProcessor(kind == FolderKind::MBart
                           ? Frame{{}, {}, {eos, source}, 0}
                           : Frame{{source}, {}, {eos}, 0});
}

static const char *fileOf(FolderKind kind) {
  return kind == FolderKind::T5       ? "spiece.model"
         : kind == FolderKind::Marian ? "source.spm"
                                      : "sentencepiece.bpe.model";
}

static Vocabulary readVocabulary(FolderKind kind, const Processor &processor,
                                 const FileSet &files,
                                 const std::string &path) {
  if (kind == FolderKind::T5)
    return piecesOf(processor);
  if (kind != FolderKind::Marian)
    return fairseqPieces(processor, path);
  constexpr const char *name = "vocab.json";
  return Vocabulary::fromJson({{"vocab", readJsonFile(files, name)}},
                              files.pathOf(name));
}

TokenizerParts heddle::text::readSentencePieceFolder(FolderKind kind,
                                                     const FileSet &files) {
  TokenizerParts parts;
  parts.path = files.pathOf(fileOf(kind));
  auto processor = SentencePieceModel::readProcessor(files, fileOf(kind));
  Vocabulary vocabulary = readVocabulary(kind, *processor, files, parts.path);
  FolderTokens tokens(files, vocabulary);
  if (kind == FolderKind::Marian && tokens.fields().has("separate_vocabs") &&
      tokens.fields().boolean("separate_vocabs"))
    tokens.fields().fail("separate_vocabs", "false");
  parts.postProcessor = addTokens(kind, tokens);
  // Joining pieces is all that decoding with the model does, too: so that
  // target.spm is not needed.
  parts.steps = {{"added_tokens", tokens.list()},
                 {"decoder",
                  {{"type", "Sequence"},
                   {"decoders",
                    {{{"type", "ByteFallback"}},
                     {{"type", "Metaspace"},
                      {"replacement", "▁"},
                      {"prepend_scheme", "always"}}}}}}};
  int32_t unknown = tokens.idOf("unk_token");
  parts.model = std::make_unique<SentencePieceModel>(
      std::move(processor), std::move(vocabulary), unknown,
      kind == FolderKind::Marian);
  return parts;
}

/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Text for programs with a compiled language model: a tokenizer's ids and back.
 *
 * A library of its own, libheddle_text, which needs ICU and sentencepiece. As
 * in heddle.h functions return a heddle_status, and the message of a failure is
 * in *error where that is not null. Nothing here prints or aborts. All text is
 * UTF-8.
 */
#ifndef HEDDLE_TEXT_H
#define HEDDLE_TEXT_H

#include "heddle.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Tokenizers --------------------------------------------------------- */

/* A model's tokenizer. Immutable: any number of threads may use one. */
typedef struct heddle_tokenizer heddle_tokenizer;

/* Reads the folder `path`: tokenizer.json (Hugging Face) or, where there is
 * none, tokenizer.model (SentencePiece), or else the files of the class that
 * tokenizer_class of tokenizer_config.json names: vocab.txt, vocab.json and
 * merges.txt, spiece.model, sentencepiece.bpe.model, or source.spm and
 * vocab.json (see README.md). Or the metadata of the GGUF file `path`. Whatever
 * a file asks for that is not implemented is an error that names it: a
 * tokenizer that loads gives the ids of its reference implementation. `padding`
 * and `truncation` of tokenizer.json, which are of batches, are not applied;
 * for the latter see heddle_tokenizer_maximum_length. The caller owns
 * *tokenizer and frees it with heddle_tokenizer_close. */
heddle_status heddle_tokenizer_open(const char *path,
                                    heddle_tokenizer **tokenizer,
                                    heddle_error *error);

typedef struct heddle_file {
  const char *name; /* "tokenizer.json" */
  const void *data; /* [size] */
  size_t size;
} heddle_file;

/* The same from `files` [count] in memory, such as those inside of a program.
 * They are copied; others than heddle_tokenizer_file_names says are ignored. */
heddle_status heddle_tokenizer_open_files(const heddle_file *files,
                                          size_t count,
                                          heddle_tokenizer **tokenizer,
                                          heddle_error *error);

/* The names of all files that make a tokenizer what it is, as far as they are
 * there; a null pointer ends them. */
const char *const *heddle_tokenizer_file_names(void);

/* Those of these files that the folder or GGUF file `path` has: *files
 * [*count], with their contents in one piece of memory, which the caller frees
 * with heddle_text_free. Programs that take a tokenizer along give them to
 * heddle_tokenizer_open_files. */
heddle_status heddle_tokenizer_read_files(const char *path, heddle_file **files,
                                          size_t *count, heddle_error *error);

/* Null is allowed. No stream may be using it. */
void heddle_tokenizer_close(heddle_tokenizer *tokenizer);

/* One more than the largest id; 0 of null. */
int32_t heddle_tokenizer_vocabulary(const heddle_tokenizer *tokenizer);

/* The ids that end an answer, *count of them: `eos_token_id` of
 * generation_config.json, where that is silent that of config.json, and then
 * `eos_token` of tokenizer_config.json, or of special_tokens_map.json where the
 * former has no added_tokens_decoder. The tokenizer owns them. `count` may be
 * null; of a null tokenizer there are none. */
const int32_t *heddle_tokenizer_end_ids(const heddle_tokenizer *tokenizer,
                                        size_t *count);

/* The ids of the `size` bytes at `text`, in *ids [*count], which the caller
 * frees with heddle_text_free. Where `add_special` is not 0, those are added
 * that the tokenizer's files put around a single text, such as a start token:
 * post_processor of tokenizer.json, or add_bos_token and add_eos_token of
 * tokenizer_config.json where its tokenizer_class goes by them. */
heddle_status heddle_tokenizer_encode(const heddle_tokenizer *tokenizer,
                                      const char *text, size_t size,
                                      int add_special, int32_t **ids,
                                      size_t *count, heddle_error *error);

/* Which of two texts is cut where they are too long together. */
typedef enum heddle_truncation {
  HEDDLE_TRUNCATE_LONGEST_FIRST = 0, /* the longer one, then both alike */
  HEDDLE_TRUNCATE_ONLY_FIRST = 1,    /* an error where that is not enough */
  HEDDLE_TRUNCATE_ONLY_SECOND = 2
} heddle_truncation;

typedef struct heddle_encode_options {
  int32_t add_special;          /* as heddle_tokenizer_encode has it */
  int64_t maximum_length;       /* ids, with special ones; 0 for any number */
  heddle_truncation truncation; /* where there would be more */
} heddle_encode_options;

/* The initial value of options: with special ids, and texts as they are. */
#define HEDDLE_ENCODE_OPTIONS {1, 0, HEDDLE_TRUNCATE_LONGEST_FIRST}

/* The ids of two texts, such as a question and a passage, of `first_size` and
 * `second_size` bytes; `second` may be null for one text alone. The ids are in
 * *ids [*count], and in *type_ids [*count] is the text that each belongs to, 0
 * or 1 as a rule, which models with token types take. The caller frees both
 * with heddle_text_free; `type_ids` may be null.
 *
 * Texts are cut at their ends, or at their begins where truncation_side of
 * tokenizer_config.json is left. Special ids stay: a maximum length that has
 * no room for them is an error. */
heddle_status heddle_tokenizer_encode_pair(const heddle_tokenizer *tokenizer,
                                           const char *first, size_t first_size,
                                           const char *second,
                                           size_t second_size,
                                           const heddle_encode_options *options,
                                           int32_t **ids, int32_t **type_ids,
                                           size_t *count, heddle_error *error);

/* How many ids the model takes, for the option maximum_length:
 * `model_max_length` of tokenizer_config.json, or where that is silent
 * `truncation` of tokenizer.json. 0 where both are, and of null. */
int64_t heddle_tokenizer_maximum_length(const heddle_tokenizer *tokenizer);

/* The text of `ids` [count]: *size bytes in *text, with a zero behind them,
 * which the caller frees with heddle_text_free. Bytes that are no UTF-8 become
 * U+FFFD. Special tokens are left out, and so are ids without a token, as
 * models pad their vocabulary; a negative id is an error. */
heddle_status heddle_tokenizer_decode(const heddle_tokenizer *tokenizer,
                                      const int32_t *ids, size_t count,
                                      char **text, size_t *size,
                                      heddle_error *error);

/* Frees what a function here has handed out; null is allowed. */
void heddle_text_free(void *pointer);

/* ---- Text as it comes --------------------------------------------------- */

/* Turns ids that come one by one into text that can be shown at once. One
 * thread may use it at a time. */
typedef struct heddle_text_stream heddle_text_stream;

/* `before` [before_count] are the ids in front of the first one, such as a
 * prompt's; null and 0 for none. Their text is not returned, but the first
 * token of a text may lose a space. The tokenizer must outlive *stream, which
 * the caller owns. */
heddle_status heddle_text_stream_create(const heddle_tokenizer *tokenizer,
                                        const int32_t *before,
                                        size_t before_count,
                                        heddle_text_stream **stream,
                                        heddle_error *error);

/* Null is allowed. */
void heddle_text_stream_destroy(heddle_text_stream *stream);

/* The text that `id` completes, possibly none: *size bytes at *piece, with a
 * zero behind them. It never ends inside of a character, and is valid until the
 * stream's next call.
 *
 * All pieces together are what decoding all ids gives, with one exception:
 * where byte tokens follow each other, one that is no UTF-8 makes decoding
 * replace the whole run, of which the start, which is valid, was a piece
 * already. */
heddle_status heddle_text_stream_push(heddle_text_stream *stream, int32_t id,
                                      const char **piece, size_t *size,
                                      heddle_error *error);

/* What is left at the end, with U+FFFD for a character that is not complete.
 * The stream is empty afterwards and may be used again. */
heddle_status heddle_text_stream_finish(heddle_text_stream *stream,
                                        const char **piece, size_t *size,
                                        heddle_error *error);

/* ---- Encoders ----------------------------------------------------------- */

/* What a classifier's logits say (`problem_type` and `architectures` of
 * config.json). */
typedef enum heddle_problem {
  HEDDLE_PROBLEM_ONE_LABEL = 0,   /* their softmax has the probabilities */
  HEDDLE_PROBLEM_MANY_LABELS = 1, /* the sigmoid of each is one */
  HEDDLE_PROBLEM_REGRESSION = 2,  /* they are what was asked for */
  HEDDLE_PROBLEM_IDS = 3 /* of a masked language model, whose labels are the
                          * ids of its vocabulary: their softmax */
} heddle_problem;

/* HEDDLE_PROBLEM_ONE_LABEL where config.json says nothing, and of null. */
heddle_problem heddle_tokenizer_problem(const heddle_tokenizer *tokenizer);

/* What config.json calls the logits of a classifier (`id2label`): their number,
 * 0 where it says nothing and where labels are ids, and each, which the
 * tokenizer owns; null of another number. */
size_t heddle_tokenizer_label_count(const heddle_tokenizer *tokenizer);
const char *heddle_tokenizer_label(const heddle_tokenizer *tokenizer,
                                   size_t label);

/* What `logits` [count] of a text say, in `probabilities` [count]: their
 * softmax where a text has one label, the sigmoid of each where there is one
 * number or there may be many labels, and of a regression the numbers
 * themselves. */
heddle_status heddle_tokenizer_probabilities(const heddle_tokenizer *tokenizer,
                                             const float *logits, size_t count,
                                             double *probabilities,
                                             heddle_error *error);

/* Makes vectors or logits of texts, with a model that has an entry point of
 * token ids [batch, length] and lengths, and of types where a text may be a
 * pair. One thread may use it at a time. */
typedef struct heddle_encoder heddle_encoder;

/* `result` is what the encoder gives of each text: HEDDLE_ROLE_EMBEDDING,
 * HEDDLE_ROLE_POOLED or HEDDLE_ROLE_LOGITS. A model whose entry points do not
 * have it, as f32 [batch, columns], or logits as [batch, length, columns], is
 * an error. The model, the weights, the tokenizer and what *context names must
 * outlive *encoder, which the caller owns. `context` may be null. */
heddle_status
heddle_encoder_create(const heddle_model *model, const heddle_weights *weights,
                      const heddle_context *context,
                      const heddle_tokenizer *tokenizer, heddle_role result,
                      heddle_encoder **encoder, heddle_error *error);

/* Null is allowed. */
void heddle_encoder_destroy(heddle_encoder *encoder);

/* How many numbers there are of each text, or of each token; 0 of null. */
int64_t heddle_encoder_columns(const heddle_encoder *encoder);

/* 1 where the model has logits for each token and none for a text, such as one
 * that finds names; else 0, as of null. */
int heddle_encoder_is_of_tokens(const heddle_encoder *encoder);

typedef struct heddle_text_pair {
  const char *first; /* [first_size] */
  size_t first_size;
  const char *second; /* [second_size]; null for one text alone */
  size_t second_size;
} heddle_text_pair;

/* Fills `values` [count, columns] for `texts` [count]. Those that are longer
 * than the model takes are cut (see heddle_tokenizer_encode_pair); about 32 of
 * them are read at once. */
heddle_status heddle_encoder_run(heddle_encoder *encoder,
                                 const heddle_text_pair *texts, size_t count,
                                 float *values, heddle_error *error);

/* The same of each token of one text, where the model is one of tokens: *ids
 * [*count], with special ones, and *values [*count, columns], which the caller
 * frees with heddle_text_free. */
heddle_status heddle_encoder_run_tokens(heddle_encoder *encoder,
                                        const heddle_text_pair *text,
                                        int32_t **ids, float **values,
                                        size_t *count, heddle_error *error);

/* ---- Generation --------------------------------------------------------- */

/* Continues prompts with a model that has `prefill` and `decode` (see
 * heddle_find_decoder), piece by piece, or answers them with one that has
 * `encode`, too. One thread may use it at a time. */
typedef struct heddle_generator heddle_generator;

typedef struct heddle_generator_options {
  heddle_sampling sampling; /* how an id is chosen */
  uint64_t seed;            /* of the draws */
  int64_t limit;            /* ids after a prompt, at most */
  int64_t beams;        /* 0 chooses id by id; else a search of that width */
  float length_penalty; /* of a search */
  int64_t capacity;     /* ids of prompts and answers; 0 for all positions. Of
                         * an encoder-decoder, ids of an answer and its start */
  int64_t
      prefill_length; /* ids that one call reads, at most; 0 for up to 512 */
  const int32_t *end_ids; /* [end_count], copied: ids that end an answer */
  size_t end_count;
  const char *const *stops; /* [stop_count], copied: texts that end an answer */
  size_t stop_count;        /* and are no part of it; they need a tokenizer */
  int64_t maximum_length;   /* ids of prompts and answers; 0 for any number */
  int32_t early_stopping;   /* of a search: as heddle_beam_options has it */
  heddle_rules rules;       /* of answers; the lists are copied */
  const int32_t *start_ids; /* [start_count], copied: what answers of an
                             * encoder-decoder begin with, and do not show */
  size_t start_count;
} heddle_generator_options;

/* The initial value of options: the likeliest ids, 128 at most. */
#define HEDDLE_GENERATOR_OPTIONS                                               \
  {HEDDLE_GREEDY,   0,    128, 0, 1, 0, 0, NULL, 0, NULL, 0, 0, 0,             \
   HEDDLE_NO_RULES, NULL, 0}

/* What the model's folder says of answers (model->generation), and what is
 * above where it does not. The ids that end an answer are those of the
 * tokenizer, which may be null, or the model's where it has none; *options
 * points to them. Where a program replaces the temperature or `beams`, which
 * exclude each other, it makes the other 0, and takes HEDDLE_GREEDY for a
 * search. */
heddle_status heddle_generator_default_options(
    const heddle_model *model, const heddle_tokenizer *tokenizer,
    heddle_generator_options *options, heddle_error *error);

/* Why an answer has ended. */
typedef enum heddle_finish {
  HEDDLE_FINISH_NONE = 0,  /* it has not */
  HEDDLE_FINISH_END = 1,   /* an end id */
  HEDDLE_FINISH_STOP = 2,  /* a stop string */
  HEDDLE_FINISH_LIMIT = 3, /* the limit of ids, or the maximum length */
  HEDDLE_FINISH_FULL = 4   /* the capacity */
} heddle_finish;

typedef struct heddle_piece {
  const char *text; /* with a zero behind it; empty without a tokenizer */
  size_t size;
  int32_t id; /* -1 where an end id was reached, or the answer had ended */
  heddle_finish finish;
} heddle_piece;

typedef struct heddle_generator_stats {
  int64_t prefill_ids, decode_ids; /* that calls have read */
  double prefill_seconds, decode_seconds;
} heddle_generator_stats;

/* The model, the weights, the tokenizer and what *context names must outlive
 * *generator, which the caller owns. Without a tokenizer, which may be null,
 * pieces are ids alone. `context` may be null. */
heddle_status heddle_generator_create(const heddle_model *model,
                                      const heddle_weights *weights,
                                      const heddle_context *context,
                                      const heddle_tokenizer *tokenizer,
                                      const heddle_generator_options *options,
                                      heddle_generator **generator,
                                      heddle_error *error);

/* Null is allowed. */
void heddle_generator_destroy(heddle_generator *generator);

/* Appends `ids` [count] to the sequence and begins an answer: the first prompt,
 * or the next turn of a conversation. An encoder-decoder forgets what was
 * before: `ids` are what the next answer answers. An id that has ended the
 * answer before is no part of the sequence: where the model was trained with
 * it, the next prompt begins with it. A search has one prompt. */
heddle_status heddle_generator_prompt(heddle_generator *generator,
                                      const int32_t *ids, size_t count,
                                      heddle_error *error);

/* Samples a second of the recordings that models listen to (Whisper's). */
#define HEDDLE_RECORDING_RATE 16000

/* What is written of a recording. */
typedef struct heddle_speech_options {
  const char *language; /* that is spoken: "de", "German" or "<|de|>"; null for
                         * the folder's, or else what the model hears in the
                         * first window */
  const char *task; /* "transcribe", or "translate" into English; null for the
                     * folder's, or else the former */
} heddle_speech_options;

/* Begins an answer that is the text of a recording, `samples` [count] from -1
 * to 1, at the rate of the model: 16,000 a second of Whisper. The generator is
 * one of a model with an entry point `features` (the samples of a window, 30 s
 * of Whisper, as what encode takes); windows are read one after the other, and
 * cut words where they do. The limit of ids holds for each. `tokenizer` tells
 * the ids of languages and tasks, which generation_config.json has. */
heddle_status heddle_generator_listen(heddle_generator *generator,
                                      const heddle_tokenizer *tokenizer,
                                      const float *samples, size_t count,
                                      const heddle_speech_options *options,
                                      heddle_error *error);

/* Reads a WAV file of 16-bit integers (PCM): *samples [*count] from -1 to 1,
 * the mean of its channels, which the caller frees with heddle_text_free. Fails
 * where it has another number of samples a second than `rate`, which the error
 * tells.
 */
heddle_status heddle_recording_read(const char *path, int32_t rate,
                                    float **samples, size_t *count,
                                    heddle_error *error);

/* The next piece of the answer, valid until the generator's next call. Text
 * comes as soon as it can no longer become a part of a stop string or of a
 * character that is not complete, so that pieces may be empty. At the end every
 * call says so again. A failure leaves the generator good for nothing else. */
heddle_status heddle_generator_next(heddle_generator *generator,
                                    heddle_piece *piece, heddle_error *error);

/* All 0 of null. */
heddle_generator_stats
heddle_generator_get_stats(const heddle_generator *generator);

/* ---- Conversations ------------------------------------------------------ */

typedef struct heddle_message {
  const char *role;    /* "system", "user", "assistant" */
  const char *content; /* with a zero at its end */
} heddle_message;

/* 1 where the tokenizer has a chat template, else 0, as of null. */
int heddle_tokenizer_has_chat(const heddle_tokenizer *tokenizer);

/* Writes `messages` [count] as the chat template of the tokenizer does
 * (chat_template.jinja, or the field of tokenizer_config.json), to *text, *size
 * bytes with a zero behind them, which the caller frees with heddle_text_free.
 * Where `add_generation_prompt` is not 0, the answer may follow. The text has
 * its special tokens, so encode it with add_special 0.
 *
 * Templates are Jinja; what of it is not known is an error that names it and
 * its line, and so is what the template itself refuses (raise_exception).
 * Those that write the date take the local time, or SOURCE_DATE_EPOCH of the
 * environment, in seconds since 1970. */
heddle_status heddle_tokenizer_apply_chat(const heddle_tokenizer *tokenizer,
                                          const heddle_message *messages,
                                          size_t count,
                                          int add_generation_prompt,
                                          char **text, size_t *size,
                                          heddle_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_TEXT_H */

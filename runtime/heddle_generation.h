/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Sequences and what follows them, the part of heddle.h about that: models that
 * continue sequences, the choice of ids, sessions, and beam search.
 */
#ifndef HEDDLE_GENERATION_H
#define HEDDLE_GENERATION_H

#include "heddle.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Models that continue sequences ------------------------------------- */

/* A call that appends ids to sequences and gives the logits of what follows:
 * which of the entry point's arguments and symbols is which. That is told by
 * their roles and shapes; their names are the model's own. The decoder of an
 * encoder-decoder reads a cross cache, too. */
typedef struct heddle_step {
  const heddle_entry *entry;
  uint32_t ids;     /* i32 or i64 [batch, length]; in decode [batch, 1] */
  uint32_t starts;  /* i32 or i64 [batch] */
  uint32_t lengths; /* i32 or i64 [batch] */
  uint32_t cache;   /* [batch, capacity] */
  uint32_t logits;  /* f32 [batch, vocabulary] */
  /* [batch, source], and i32 or i64 [batch]; HEDDLE_NO_ARGUMENT where there is
   * no cross cache, and of the latter where all sources are of a length. */
  uint32_t cross;
  uint32_t cross_lengths;
  /* Where a call has no such size, such as decode a length, their number is
   * that of the entry point's symbols. */
  uint32_t batch, length, capacity, source;
  int64_t vocabulary;
} heddle_step;

enum { HEDDLE_STEP_ARGUMENTS = 7, HEDDLE_STEP_SIZES = 4 };

/* A call that reads the source of an encoder-decoder, which is what sequences
 * answer, and fills the cross cache with it. */
typedef struct heddle_source_step {
  const heddle_entry *entry; /* null where there is none */
  uint32_t input;   /* i32 or i64 [batch, length], or a tensor [batch, ...] */
  uint32_t lengths; /* i32 or i64 [batch]; HEDDLE_NO_ARGUMENT of a tensor */
  uint32_t cross;   /* [batch, source] */
  uint32_t batch, length, source; /* as above */
} heddle_source_step;

typedef struct heddle_decoder {
  heddle_step prefill, decode; /* entry points of these names */
  heddle_source_step encode;   /* likewise, if there is a cross cache */
} heddle_decoder;

/* Fails where the model has no such entry points with these arguments and no
 * other, but for further results of encode, or where one could not go on with
 * the cache of another. */
heddle_status heddle_find_decoder(const heddle_model *model,
                                  heddle_decoder *decoder, heddle_error *error);

/* Puts the sizes of a call in the order of the entry point's symbols; `source`
 * is of no use without a cross cache. Does nothing where `step` or `sizes` is
 * null. */
void heddle_step_sizes(const heddle_step *step, int64_t batch, int64_t length,
                       int64_t capacity, int64_t source,
                       int64_t sizes[HEDDLE_STEP_SIZES]);

/* ---- Choosing ids ------------------------------------------------------- */

/* What the rules of an answer go by: where it begins and ends. */
typedef struct heddle_answer {
  const heddle_rules *rules;
  const int32_t *end_ids; /* [end_count] */
  int64_t end_count;
  int64_t prompt_count;   /* ids of a sequence before its answer */
  int64_t maximum_length; /* ids of a sequence at most; 0 for any number */
} heddle_answer;

/* How an id is chosen from logits x. The steps are those of Hugging Face
 * transformers, in its order, whose top_p does not keep what is equal:
 *
 * 1. The repetition penalty r (arXiv:1909.05858). For each id i among the last
 *    ids, once: x(i) becomes x(i) / r where x(i) > 0, and x(i) * r elsewhere.
 * 2. The temperature t. x(i) becomes x(i) / t. Where t is 0, the id of the
 *    largest x(i) is the result, of equal ones the lowest.
 * 3. top_k keeps the k largest x(i), and what is equal to the least of these.
 *    From here on p = softmax(x) over what is kept.
 * 4. top_p (arXiv:1904.09751) keeps the largest p(i), as few as add up to top_p
 *    or more, and what is equal to the least of these.
 * 5. min_p (arXiv:2407.01082) keeps each p(i) >= min_p * max(p).
 * 6. One of the ids that are kept is drawn, each with a probability that is
 *    proportional to p(i): the lowest of which the p up to it are above a
 *    random number from 0 to 1, as a share of all.
 *
 * An id whose logit is -infinity is never chosen, and none that the rules of
 * `answer` forbid: after step 1 its x(i) is -infinity. Where they force one,
 * that is the result. */
typedef struct heddle_sampling {
  float temperature;           /* at least 0 */
  float top_p;                 /* above 0; 1 keeps all */
  float min_p;                 /* 0 keeps all; at most 1 */
  float repetition_penalty;    /* above 0; 1 changes nothing */
  int64_t top_k;               /* 0 keeps all */
  int64_t repetition_window;   /* how many of the last ids; 0 for all */
  const heddle_answer *answer; /* null for no rules */
} heddle_sampling;

/* The initial value of a heddle_sampling that takes the likeliest id. With a
 * temperature above 0 it draws from the whole vocabulary. */
#define HEDDLE_GREEDY {0, 1, 0, 1, 0, 0, NULL}

/* A source of random numbers. Number n of a seed is the same on every machine
 * (SplitMix64, doi:10.1145/2660193.2660195). Any seed is as good as another. */
typedef struct heddle_random {
  uint64_t seed;
  uint64_t drawn; /* how many numbers have been drawn */
} heddle_random;

/* Scratch of heddle_choose_id: an id that may be chosen. */
typedef struct heddle_candidate {
  double value;
  int32_t id;
  int32_t is_penalised;
} heddle_candidate;

/* How the folder of the model wants ids to be chosen: HEDDLE_GREEDY where it
 * does not say, or wants a search. Its end ids and all else that it says of
 * answers are in model->generation. */
heddle_status heddle_default_sampling(const heddle_model *model,
                                      heddle_sampling *sampling,
                                      heddle_error *error);

/* The rules of answers that the folder of the model has; none where it does not
 * say. Their lists are the model's. */
heddle_status heddle_default_rules(const heddle_model *model,
                                   heddle_rules *rules, heddle_error *error);

/* The initial value of rules that forbid and force nothing. */
#define HEDDLE_NO_RULES {NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0}

/* Fails where an option is out of its range. heddle_choose_id checks the same;
 * this function does so before there are logits. */
heddle_status heddle_check_sampling(const heddle_sampling *sampling,
                                    heddle_error *error);

/* Chooses *id by `logits` [vocabulary] for a sequence that holds `ids`
 * [id_count], which only the repetition penalty and rules read. `scratch`
 * [vocabulary] is the caller's, and nothing in it outlives the call.
 *
 * At a temperature above 0 each choice draws one number of *random. At 0
 * `random` may be null. Equal arguments give equal ids on every machine.
 *
 * Fails, and draws nothing, where a logit is NaN or +infinity, where all are
 * -infinity or forbidden, and where one of the ids that the penalty reads,
 * those of its window if it is not 1, is not below `vocabulary`. */
heddle_status heddle_choose_id(const heddle_sampling *sampling,
                               const float *logits, int64_t vocabulary,
                               const int32_t *ids, int64_t id_count,
                               heddle_random *random, heddle_candidate *scratch,
                               int32_t *id, heddle_error *error);

/* ---- Sessions ----------------------------------------------------------- */

/* A batch of sequences that such a model continues, with the cache and all
 * other memory of its calls. One thread may use it at a time; sessions of one
 * model may run at the same time. */
typedef struct heddle_session heddle_session;

/* For `batch` sequences of at most `capacity` ids, of which one call of the
 * model reads at most `length`: longer texts are read in several. The cache,
 * the workspace and the logits are memory of the context's stream's device
 * where the weights are on one. The model, the weights and what *context names
 * must outlive *session, which the caller owns and frees with
 * heddle_session_destroy; that alone does not need the weights any more.
 * `context` may be null; its error and argument_bytes are not used. Nothing is
 * allocated later, but by heddle_session_encode.
 */
heddle_status
heddle_session_create(const heddle_model *model, const heddle_weights *weights,
                      const heddle_context *context, int64_t batch,
                      int64_t length, int64_t capacity,
                      const heddle_allocator *allocator,
                      heddle_session **session, heddle_error *error);

/* Null is allowed. */
void heddle_session_destroy(heddle_session *session);

/* Empties all sequences, which keep their sources. Null is allowed. */
void heddle_session_restart(heddle_session *session);

/* Reads the sources of sequences of an encoder-decoder, `ids` [batch, length]
 * of which sequence b has the first lengths[b], whatever is behind them, and
 * empties the sequences; `lengths` may be null where all have `length`. Memory
 * of the session grows where sources are longer than before. Where the model or
 * memory fails, there are no sources, and ids cannot be appended. On a device,
 * see heddle_session_append. */
heddle_status heddle_session_encode(heddle_session *session, const int32_t *ids,
                                    const int32_t *lengths, int64_t length,
                                    heddle_error *error);

/* The same of a model whose sources are no ids, but tensors, such as a
 * spectrogram: `input` is what its entry point encode takes first, in the
 * memory of the host. */
heddle_status heddle_session_encode_tensor(heddle_session *session,
                                           const void *input,
                                           heddle_error *error);

/* Appends `ids` [batch, length] to the sequences; those of an encoder-decoder
 * begin with the ids that its answers begin with. Where it fails, the sequences
 * are as they were, and there are no logits. On a device the work may go on
 * when the function returns: what fails there is said by the function below
 * that waits for its results. */
heddle_status heddle_session_append(heddle_session *session, const int32_t *ids,
                                    int64_t length, heddle_error *error);

/* Makes sequence b what sequence parents[b] was, for all b, with its source;
 * logits are those of the sequences before. */
heddle_status heddle_session_reorder(heddle_session *session,
                                     const int32_t *parents,
                                     heddle_error *error);

/* What follows each sequence: *logits [batch, vocabulary], after the last
 * append. They are the session's, and stay until the next one. On a device they
 * are copied from there. */
heddle_status heddle_session_logits(heddle_session *session,
                                    const float **logits, heddle_error *error);

/* Chooses the id `ids` [batch] that follows each sequence, as heddle_choose_id
 * does with the logits of the last append, the ids of the sequence and its
 * random[b]; `random` [batch] may be null at temperature 0.
 *
 * On a device heddlec's entry points choose, where the logits are, unless a
 * repetition penalty is asked for, or a rule. They draw the same numbers and
 * compute in single precision: where a number is as close to the border of two
 * ids as roundings are, they may take the other one, and differences of logits
 * are infinite from 3.4e38 on.
 *
 * Fails as heddle_choose_id does. Then nothing is drawn for any sequence, and
 * `ids` may hold anything. */
heddle_status heddle_session_sample(heddle_session *session,
                                    const heddle_sampling *sampling,
                                    heddle_random *random, int32_t *ids,
                                    heddle_error *error);

/* How many ids each sequence has: 0 of null. */
int64_t heddle_session_filled(const heddle_session *session);

/* How many ids the model knows: 0 of null. */
int64_t heddle_session_vocabulary(const heddle_session *session);

/* ---- Beam search -------------------------------------------------------- */

/* A search for likely continuations of one sequence. A beam is a continuation
 * that has not ended; in each step all beams are extended by one id. The search
 * does not know how logits are computed, so it serves decoders and
 * encoder-decoders alike. One thread may use it at a time. */
typedef struct heddle_beam_search heddle_beam_search;

typedef struct heddle_beam_options {
  int64_t width;          /* beams at most, and hypotheses: 1 to 4096 */
  int64_t vocabulary;     /* ids are below it */
  int64_t maximum_length; /* ids of a continuation, the end id included */
  const int32_t *end_ids; /* [end_count], copied */
  int64_t end_count;      /* 0 to 4096; at 0 only the maximum length ends */
  float length_penalty;   /* p of the score; -16 to 16 */
  int32_t early_stopping; /* 0 or 1 */
  /* What continuations may not have and have to, or null. It has to outlive the
   * search, which is told of the sequence by `prompt_ids` [prompt_count],
   * copied, and ends at most maximum_length ids behind them. */
  const heddle_rules *rules;
  const int32_t *prompt_ids;
  int64_t prompt_count;
} heddle_beam_options;

/* The caller owns *search and frees it with heddle_beam_search_destroy. No
 * other function of a search allocates. */
heddle_status heddle_beam_search_create(const heddle_beam_options *options,
                                        const heddle_allocator *allocator,
                                        heddle_beam_search **search,
                                        heddle_error *error);

/* Null is allowed. */
void heddle_beam_search_destroy(heddle_beam_search *search);

/* Begins another search with the same options. Null is allowed. */
void heddle_beam_search_restart(heddle_beam_search *search);

/* Extends each beam by an id. Row b of `logits` [width, vocabulary] belongs to
 * beam b. In the first step there is one beam, the sequence itself, so that
 * only row 0 is read.
 *
 * `parents` [width] and `ids` [width] receive what the caller does next: row b
 * of each cache becomes what row parents[b] was (heddle_reorder_cache), and the
 * model appends ids[b] to it. Rows without a beam have parent b and id 0.
 *
 * The sum of a continuation is that of log p(i) = x(i) - log(sum of exp(x(j)))
 * over its ids, where log p of a forced id is 0, and forbidden ids are not
 * taken, nor summed up where rules->renormalizes is 1. Extensions are ordered
 * by their sums, equal ones by beam and then by id, the lowest first:
 *
 * - The first `width` extensions that do not end become the beams.
 * - Those among the first `width` of all that end become hypotheses, with the
 *   score sum / length^p. The `width` best are kept, of equal ones the earlier.
 * - At the maximum length the beams become hypotheses, too.
 *
 * The search is finished at the maximum length, without a beam, or once it has
 * `width` hypotheses and no beam can be better than the worst of them. The best
 * that a beam can become has log p = 0 from there on, and its score is sum /
 * length^p with the maximum length where p > 0 and with the next length
 * elsewhere. With early_stopping, `width` hypotheses are enough. Hugging Face
 * transformers calls the two rules early_stopping "never" and True.
 *
 * A step of a finished search reads no logits and changes nothing. So a batch
 * may hold several searches: search s has the rows from s * width on, and the
 * caller adds s * width to its parents.
 *
 * Fails, and leaves the search as it was, where a logit of a beam is NaN or
 * +infinity, where all of them are -infinity, and where no beam may be extended
 * by any id. An id whose logit is -infinity is
 * never taken. */
heddle_status heddle_beam_search_step(heddle_beam_search *search,
                                      const float *logits, int32_t *parents,
                                      int32_t *ids, heddle_error *error);

/* 1 where the search is finished, and of null, else 0. */
int heddle_beam_search_is_finished(const heddle_beam_search *search);

/* A continuation that a search has found. */
typedef struct heddle_hypothesis {
  int64_t length;  /* ids, the end id included */
  int32_t has_end; /* 1 where the last id is an end id, else 0 */
  int32_t reserved;
  double log_probability; /* the sum of log p(i) */
  double score;           /* log_probability / length^length_penalty */
} heddle_hypothesis;

/* How many hypotheses there are so far, at most `width`: 0 of null. */
int64_t heddle_beam_search_count(const heddle_beam_search *search);

/* Gives hypothesis number `index`, the best first. Its ids are written to `ids`
 * [maximum_length]. */
heddle_status heddle_beam_search_get(const heddle_beam_search *search,
                                     int64_t index,
                                     heddle_hypothesis *hypothesis,
                                     int32_t *ids, heddle_error *error);

/* Makes row b of `rows` [count, row_bytes] what row parents[b] was, for all b
 * at once: a row may be the parent of several rows, or of none. There are at
 * most 4096 rows. For tensors and caches that are the caller's own, of which
 * the batch is the outermost dimension. */
heddle_status heddle_reorder_rows(void *rows, int64_t count, size_t row_bytes,
                                  const int32_t *parents, heddle_error *error);

/* The same for the sequences of a cache, which is the argument `argument` of a
 * call with these sizes. `parents` has one element for each sequence. A cache
 * in pages is refused: there the caller's tables say what a sequence is, of
 * which the rows may change places, and pages that two of them have are to be
 * copied before either appends to them. */
heddle_status heddle_reorder_cache(const heddle_entry *entry, uint32_t argument,
                                   const int64_t *sizes, void *cache,
                                   const int32_t *parents, heddle_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_GENERATION_H */

/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* llama.cpp as a peer of bench.cpp:
 *
 *   llamacpp LIBRARIES THREADS prefill MODEL BATCH LENGTH
 *   llamacpp LIBRARIES THREADS decode MODEL BATCH START TOKENS
 *
 * runs MODEL.gguf with the backends in the folder LIBRARIES and prints the
 * seconds of rounds (Peer.h);
 *
 *   llamacpp LIBRARIES THREADS quantize FROM.gguf TO.gguf int8|int4
 *
 * writes the same model in Q8_0 or Q4_0.
 *
 * The npm package that ships the libraries has no headers, hence the
 * declarations. Parameters are blocks larger than the real structs: on x86-64
 * large structs travel in memory, so that their size does not matter. Where a
 * field is was read off the defaults, which check_fields compares.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  uint32_t words[256];
} parameters;

/* struct llama_batch */
typedef struct {
  int32_t n_tokens;
  int32_t *token;
  float *embd;
  int32_t *pos;
  int32_t *n_seq_id;
  int32_t **seq_id;
  int8_t *logits;
} token_batch;

void ggml_backend_load_all_from_path(const char *folder);
void llama_backend_init(void);
void llama_log_set(void (*log)(int level, const char *text, void *data),
                   void *data);
parameters llama_model_default_params(void);
parameters llama_context_default_params(void);
void *llama_model_load_from_file(const char *path, parameters model);
void *llama_init_from_model(void *model, parameters context);
void *llama_get_memory(void *context);
bool llama_memory_seq_rm(void *memory, int32_t sequence, int32_t from,
                         int32_t end);
token_batch llama_batch_init(int32_t tokens, int32_t embd, int32_t sequences);
void llama_batch_free(token_batch batch);
int llama_decode(void *context, token_batch batch);
float *llama_get_logits_ith(void *context, int32_t index);
parameters llama_model_quantize_default_params(void);
uint32_t llama_model_quantize(const char *from, const char *to,
                              const parameters *quantize);

/* Of llama_context_params, in words of 32 bits. */
enum {
  N_CONTEXT = 0,
  N_BATCH = 1,
  N_MICRO_BATCH = 2,
  N_SEQUENCES = 3,
  N_THREADS = 7,
  N_THREADS_BATCH = 8
};

/* Of llama_model_quantize_params; values of its enum llama_ftype. */
enum { N_QUANTIZE_THREADS = 0, FILE_TYPE = 1 };
enum { MOSTLY_Q4_0 = 2, MOSTLY_Q8_0 = 7 };

/* Seconds of a round. */
static const double patience = 0.2;

static void fail(const char *what) {
  fprintf(stderr, "llamacpp: %s\n", what);
  exit(1);
}

static int number(const char *text) {
  char *end;
  int value = (int)strtol(text, &end, 10);
  if (*end)
    fail("expected numbers");
  return value;
}

static void log_errors(int level, const char *text, void *data) {
  (void)data;
  if (level == 4)
    fputs(text, stderr);
}

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check_fields(const parameters *p) {
  if (p->words[N_CONTEXT] != 512 || p->words[N_BATCH] != 2048 ||
      p->words[N_MICRO_BATCH] != 512 || p->words[N_SEQUENCES] != 1 ||
      p->words[N_THREADS] != 4 || p->words[N_THREADS_BATCH] != 4) {
    for (int i = 0; i < 12; ++i)
      fprintf(stderr, "%d:%u ", i, p->words[i]);
    fail("the defaults of llama_context_params are not those expected");
  }
}

/* Reads `length` tokens of each of `count` sequences, from position `start`. */
static void read_tokens(void *context, int count, int start, int length) {
  token_batch batch = llama_batch_init(count * length, 0, 1);
  batch.n_tokens = count * length;
  for (int i = 0; i < batch.n_tokens; ++i) {
    batch.token[i] = 300 + i % 200;
    batch.pos[i] = start + i % length;
    batch.n_seq_id[i] = 1;
    batch.seq_id[i][0] = i / length;
    batch.logits[i] = i % length == length - 1;
  }
  if (llama_decode(context, batch))
    fail("llama_decode failed");
  llama_get_logits_ith(context, length - 1); /* waits */
  llama_batch_free(batch);
}

/* Seconds of reading `length` tokens, or of `tokens` steps after them. */
static double measure_call(void *context, int count, int length, int tokens) {
  for (int i = 0; i < count; ++i)
    if (!llama_memory_seq_rm(llama_get_memory(context), i, tokens ? length : 0,
                             -1))
      fail("cannot take tokens back");
  double begin = seconds();
  if (!tokens)
    read_tokens(context, count, 0, length);
  for (int i = 0; i < tokens; ++i)
    read_tokens(context, count, length + i, 1);
  return seconds() - begin;
}

static int quantize(const char *from, const char *to, const char *type,
                    int threads) {
  parameters p = llama_model_quantize_default_params();
  if (p.words[N_QUANTIZE_THREADS] != 0 || p.words[FILE_TYPE] > 40)
    fail("the defaults of llama_model_quantize_params are not those expected");
  p.words[N_QUANTIZE_THREADS] = (uint32_t)threads;
  p.words[FILE_TYPE] = !strcmp(type, "int4") ? MOSTLY_Q4_0 : MOSTLY_Q8_0;
  if (llama_model_quantize(from, to, &p))
    fail("llama_model_quantize failed");
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 7 && !strcmp(argv[3], "quantize")) {
    llama_log_set(log_errors, NULL);
    ggml_backend_load_all_from_path(argv[1]);
    llama_backend_init();
    return quantize(argv[4], argv[5], argv[6], number(argv[2]));
  }
  bool decode = argc == 8 && !strcmp(argv[3], "decode");
  if (!decode && !(argc == 7 && !strcmp(argv[3], "prefill")))
    return 0; /* a case of kernels */
  int threads = number(argv[2]), count = number(argv[5]);
  int length = number(argv[6]), tokens = decode ? number(argv[7]) : 0;
  char path[4096];
  snprintf(path, sizeof(path), "%s.gguf", argv[4]);
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  fclose(file);

  llama_log_set(log_errors, NULL);
  ggml_backend_load_all_from_path(argv[1]);
  llama_backend_init();
  void *model = llama_model_load_from_file(path, llama_model_default_params());
  if (!model)
    fail("cannot load the model");
  parameters p = llama_context_default_params();
  check_fields(&p);
  int positions = (length + tokens + 255) / 256 * 256;
  p.words[N_CONTEXT] = (uint32_t)(count * positions);
  p.words[N_SEQUENCES] = (uint32_t)count;
  p.words[N_THREADS] = p.words[N_THREADS_BATCH] = (uint32_t)threads;
  void *context = llama_init_from_model(model, p);
  if (!context)
    fail("cannot make a context");

  /* Without what is measured, and with it once, to warm up. */
  if (decode)
    read_tokens(context, count, 0, length);
  measure_call(context, count, length, tokens);
  while (getchar() != EOF) {
    double best = 0, end = seconds() + patience;
    do {
      double time = measure_call(context, count, length, tokens);
      if (best == 0 || time < best)
        best = time;
    } while (seconds() < end);
    printf("%.9f\n", best);
    fflush(stdout);
  }
  return 0;
}

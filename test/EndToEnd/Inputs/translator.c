/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* A translation in the calls that a file lists:
 *
 *   translator WEIGHTS CALLS LOGITS [THREADS]
 *
 * CALLS holds i32: batch, source, capacity and memory; the lengths of the
 * sources, and their ids; then for each call the length (0: decode), starts,
 * lengths and ids. LOGITS gets those of all calls. Before each, outputs and
 * workspace are NaN; caches are before the first.
 */
#include "translator.h"
#include "session.h"

enum { CHANNELS = 48 };

typedef struct buffer {
  void *data;
  size_t size;
} buffer;

static buffer allocate(size_t size) {
  return (buffer){allocate_guarded(size), size};
}

static void check(const buffer *b, const char *what) {
  check_guard(b->data, b->size, what);
}

static void release(buffer *b, const char *what) {
  check(b, what);
  free(b->data);
}

static const int32_t *next; /* of CALLS */

static const int32_t *take(int64_t count) {
  const int32_t *taken = next;
  next += count;
  return taken;
}

static const int32_t *read_calls(const char *path, const int32_t **end) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END))
    die("%s: cannot be read", path);
  long size = ftell(file);
  int32_t *calls = malloc((size_t)size);
  rewind(file);
  if (!calls || fread(calls, 1, (size_t)size, file) != (size_t)size)
    die("%s: cannot be read", path);
  fclose(file);
  *end = calls + size / (long)sizeof(int32_t);
  return calls;
}

static void succeed(heddle_status status, const heddle_error *error) {
  if (status)
    die("%s", error->message);
}

int main(int argc, char **argv) {
  heddle_error error = {0};
  heddle_threads *threads = NULL;
  heddle_context context = {.error = &error};
  if (argc < 4 || argc > 5)
    die("usage: translator WEIGHTS CALLS LOGITS [THREADS]");
  heddle_weights *weights = open_weights(&translator_model, argv[1]);
  if (argc == 5) {
    succeed(heddle_threads_create(atoi(argv[4]), NULL, &threads, &error),
            &error);
    context.parallel_for = heddle_threads_parallel_for;
    context.parallel_for_data = threads;
  }
  FILE *output = fopen(argv[3], "wb");
  if (!output)
    die("%s: cannot be written", argv[3]);
  const int32_t *end, *calls = next = read_calls(argv[2], &end);

  const int32_t *sizes = take(4);
  const int64_t batch = sizes[0], source = sizes[1], capacity = sizes[2],
                memory = sizes[3];
  const int32_t *source_lengths = take(batch);
  const int32_t *source_ids = take(batch * source);
  int32_t *positions =
      malloc((size_t)(batch * source) * sizeof(int32_t)); /* each from 0 on */
  int32_t *zeros = calloc((size_t)batch, sizeof(int32_t));
  for (int64_t i = 0; positions && i < batch * source; ++i)
    positions[i] = (int32_t)(i % source);

  size_t cross_size, own_size, size;
  succeed(translator_cross_cache_size(batch, memory, &cross_size, &error),
          &error);
  succeed(translator_own_cache_size(batch, capacity, &own_size, &error),
          &error);
  buffer cross = allocate(cross_size), own = allocate(own_size);
  size = (size_t)(batch * source * CHANNELS) * sizeof(float);
  buffer keys = allocate(size), values = allocate(size);
  buffer logits =
      allocate((size_t)batch * TRANSLATOR_IDS_VOCABULARY * sizeof(float));

  succeed(
      translator_encode_workspace_size(batch, source, memory, &size, &error),
      &error);
  buffer workspace = allocate(size);
  succeed(translator_encode(&context, weights, source_ids, positions, zeros,
                            source_lengths, cross.data, keys.data, values.data,
                            batch, source, memory, workspace.data,
                            workspace.size),
          &error);
  release(&workspace, "workspace of encode");

  while (next != end) {
    int64_t length = *take(1);
    const int32_t *starts = take(batch), *lengths = take(batch);
    const int32_t *ids = take(batch * (length ? length : 1));
    memset(logits.data, 0xff, logits.size);
    succeed(length ? translator_prefill_workspace_size(
                         batch, length, capacity, memory, source, &size, &error)
                   : translator_decode_workspace_size(batch, capacity, memory,
                                                      source, &size, &error),
            &error);
    workspace = allocate(size);
    succeed(length ? translator_prefill(&context, weights, ids, starts, lengths,
                                        source_lengths, own.data, cross.data,
                                        keys.data, values.data, logits.data,
                                        batch, length, capacity, memory, source,
                                        workspace.data, workspace.size)
                   : translator_decode(&context, weights, ids, starts, lengths,
                                       source_lengths, own.data, cross.data,
                                       keys.data, values.data, logits.data,
                                       batch, capacity, memory, source,
                                       workspace.data, workspace.size),
            &error);
    release(&workspace, "workspace");
    check(&own, "own");
    check(&logits, "logits");
    fwrite(logits.data, 1, logits.size, output);
  }
  release(&cross, "cross");
  release(&own, "own");
  release(&keys, "last_keys");
  release(&values, "last_values");
  release(&logits, "logits");
  free(positions);
  free(zeros);
  free((void *)calls);
  heddle_weights_close(weights);
  heddle_threads_destroy(threads);
  if (fclose(output))
    die("%s: cannot be written", argv[3]);
  return 0;
}

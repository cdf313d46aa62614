/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls each entry point of a model with integers of any value that lie on the
 * device, where nothing checks them:
 *
 *   wrong_numbers SEED
 *
 * Floats are numbers, and what is around all arguments is NaN: it must be there
 * afterwards, and no result may have it.
 */
#include "wrong.h"

#include "opened_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { GUARD = 4096, MOST_ARGUMENTS = 16, CALLS = 20, MOST_SYMBOLS = 8 };

typedef struct region {
  unsigned char *host, *there; /* where they begin, with GUARD bytes before */
  size_t size;                 /* between guards */
} region;

static opened_model model;
static uint64_t state;

static uint32_t draw(uint32_t below) {
  /* Knuth's MMIX generator, of which the upper bits are random. */
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % below;
}

static int64_t any_number(void) {
  static const int64_t numbers[] = {INT64_MIN, INT32_MIN, INT32_MIN + 1,
                                    -1000000,  -33,       -8,
                                    -7,        -2,        -1,
                                    0,         1,         2,
                                    5,         7,         8,
                                    9,         12,        31,
                                    32,        33,        64,
                                    100000,    INT32_MAX, INT64_MAX};
  return numbers[draw(sizeof(numbers) / sizeof(*numbers))];
}

static void fill(region *r, uint32_t type) {
  unsigned char *begin = r->host + GUARD;
  size_t element = heddle_type_size((heddle_type)type);
  for (size_t i = 0; i < r->size / element; ++i) {
    int64_t number = any_number();
    int32_t narrow = (int32_t)number;
    float real = (float)draw(1000) / 500 - 1;
    const void *value = &real;
    if (type == HEDDLE_TYPE_I64)
      value = &number;
    else if (type == HEDDLE_TYPE_I32)
      value = &narrow;
    memcpy(begin + i * element, value, element);
  }
}

static region make_region(size_t size) {
  region r = {NULL, NULL, size};
  void *address;
  r.host = malloc(size + 2 * GUARD);
  if (!r.host)
    exit(1);
  memset(r.host, 0xff, size + 2 * GUARD);
  require(
      heddle_device_allocate(model.device, size + 2 * GUARD, &address, &error));
  r.there = address;
  return r;
}

static void send(const region *r) {
  require(heddle_stream_upload(model.stream, r->there, r->host,
                               r->size + 2 * GUARD, &error));
}

/* What may be in a region after a call. */
typedef enum contents { WHAT_WAS_THERE, NUMBERS, ANYTHING } contents;

/* Guards have what was there. */
static void look_at(const region *r, contents allowed, const char *what) {
  size_t all = r->size + 2 * GUARD;
  unsigned char *now = malloc(all);
  if (!now)
    exit(1);
  require(heddle_stream_download(model.stream, now, r->there, all, &error));
  require(heddle_stream_wait(model.stream, &error));
  for (size_t i = 0; i < all; ++i) {
    int is_inside = i >= GUARD && i < GUARD + r->size;
    if (!(is_inside && allowed != WHAT_WAS_THERE) && now[i] != r->host[i]) {
      printf("%s: byte %ld of %zu has changed\n", what, (long)i - GUARD,
             r->size);
      exit(1);
    }
  }
  for (size_t i = GUARD; allowed == NUMBERS && i < GUARD + r->size; i += 4) {
    float value;
    memcpy(&value, now + i, 4);
    if (!isfinite(value)) {
      printf("%s: element %zu is %g\n", what, (i - GUARD) / 4, value);
      exit(1);
    }
  }
  free(now);
}

static void call(const heddle_entry *entry) {
  int64_t sizes[MOST_SYMBOLS];
  region regions[MOST_ARGUMENTS];
  void *buffers[MOST_ARGUMENTS], *workspace;
  heddle_context context = {
      .error = &error, .stream = model.stream, .device_arguments = UINT64_MAX};
  for (uint32_t s = 0; s < entry->symbol_count; ++s)
    sizes[s] = 1 + draw(strcmp(entry->symbols[s].name, "capacity") ? 5 : 40);
  for (uint32_t s = 0; s < entry->symbol_count; ++s)
    if (sizes[s] < entry->symbols[s].minimum)
      sizes[s] = entry->symbols[s].minimum;
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    const heddle_argument *argument = &entry->arguments[a];
    size_t size;
    require(heddle_argument_size(entry, a, sizes, &size, &error));
    regions[a] = make_region(size);
    if (argument->kind != HEDDLE_ARGUMENT_OUTPUT)
      fill(&regions[a], argument->kind == HEDDLE_ARGUMENT_CACHE
                            ? (uint32_t)HEDDLE_TYPE_F32
                            : argument->type);
    send(&regions[a]);
    buffers[a] = regions[a].there + GUARD;
  }
  size_t needed;
  require(
      heddle_device_workspace_size(entry, sizes, UINT64_MAX, &needed, &error));
  region scratch = make_region(needed);
  send(&scratch);
  workspace = scratch.there + GUARD;
  require(heddle_invoke(&wrong_model, entry, &context, model.weights, buffers,
                        sizes, workspace, needed));
  require(heddle_stream_wait(model.stream, &error));
  for (uint32_t a = 0; a < entry->argument_count; ++a) {
    char what[200];
    snprintf(what, sizeof(what), "%s, %s", entry->name,
             entry->arguments[a].name);
    look_at(&regions[a],
            entry->arguments[a].kind == HEDDLE_ARGUMENT_INPUT ? WHAT_WAS_THERE
                                                              : NUMBERS,
            what);
    free(regions[a].host);
    heddle_device_release(model.device, regions[a].there);
  }
  look_at(&scratch, ANYTHING, entry->name);
  free(scratch.host);
  heddle_device_release(model.device, scratch.there);
}

int main(int argc, char **argv) {
  state = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  printf("seed %" PRIu64 "\n", state);
  model = open_model(&wrong_model, "wrong.weights");
  for (uint32_t e = 0; e < wrong_model.entry_count; ++e) {
    const heddle_entry *entry = wrong_model.entries[e];
    for (int i = 0; i < CALLS; ++i)
      call(entry);
    printf("%s: all is inside\n", entry->name);
  }
  close_model(&model);
  return 0;
}

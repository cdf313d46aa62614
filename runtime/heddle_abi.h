/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What a compiled model and the runtime agree on.
 *
 * The compiler writes these structs as constants into every object and the
 * runtime reads them, so this header is a schema. Both sides have to agree on
 * it exactly: any change of a struct or of its meaning raises
 * HEDDLE_ABI_VERSION, and objects of another version are refused. It depends on
 * nothing but <stdint.h> and <stddef.h>.
 */
#ifndef HEDDLE_ABI_H
#define HEDDLE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_ABI_VERSION 13
#define HEDDLE_MAX_RANK 6
/* Buffers that the compiled code reads or writes with vectors start at a
 * multiple of this many bytes: weights, workspace and cache. */
#define HEDDLE_ALIGNMENT 64

/* Element types, also of the packed weights. C has no type of its own for
 * floats of fewer than 32 bits: an element is its bits, a uint16_t or uint8_t.
 */
typedef enum heddle_type {
  HEDDLE_TYPE_F32 = 1,
  HEDDLE_TYPE_BF16 = 2, /* the upper half of an f32 */
  HEDDLE_TYPE_F16 = 3,  /* IEEE 754's binary16 */
  HEDDLE_TYPE_I32 = 4,
  HEDDLE_TYPE_I8 = 5,
  HEDDLE_TYPE_I64 = 6,
  HEDDLE_TYPE_I1 = 7, /* a byte, 0 or 1 */
  HEDDLE_TYPE_F64 = 8,
  HEDDLE_TYPE_I16 = 9,
  HEDDLE_TYPE_U8 = 10,
  HEDDLE_TYPE_U16 = 11,
  HEDDLE_TYPE_U32 = 12,
  HEDDLE_TYPE_U64 = 13,
  HEDDLE_TYPE_F8E4M3 =
      14, /* the Open Compute Project's E4M3, without infinity */
  HEDDLE_TYPE_F8E5M2 = 15 /* the upper half of an f16 */
} heddle_type;

/* Result of every call. Zero is success; the message that goes with a failure
 * is in the heddle_error that the caller handed in. */
typedef enum heddle_status {
  HEDDLE_OK = 0,
  HEDDLE_INVALID_ARGUMENT = 1, /* a null pointer, a size out of range     */
  HEDDLE_OUT_OF_RANGE = 2,     /* a value inside a buffer is out of range */
  HEDDLE_WORKSPACE_TOO_SMALL = 3,
  HEDDLE_IO_ERROR = 4,    /* a file cannot be opened or read */
  HEDDLE_BAD_WEIGHTS = 5, /* damaged, truncated or of another model  */
  HEDDLE_UNSUPPORTED_CPU = 6,
  HEDDLE_OUT_OF_MEMORY = 7,
  HEDDLE_ABI_MISMATCH = 8,
  HEDDLE_INTERNAL_ERROR = 9,
  HEDDLE_NO_DEVICE = 10,   /* none of the kind, or none that will do */
  HEDDLE_DEVICE_ERROR = 11 /* what a device or its driver refuses */
} heddle_status;

/* What a kernel returns that was compiled with a schedule of the user's
 * (heddlec --schedule), where a promise of it does not hold. */
enum { HEDDLE_BROKEN_PROMISE = -1000 };

typedef struct heddle_error {
  int32_t status; /* a heddle_status */
  char message[508];
} heddle_error;

/* One iteration of a parallel loop; nonzero stops the loop. */
typedef int (*heddle_task)(void *user_context, int32_t index, uint8_t *closure);

/* Runs task(user_context, i, closure) for i in [first, first + count), in any
 * order and in any threads, and returns when all are done: zero, or the first
 * nonzero result, which ends the call. Tasks need 256 KiB of stack. */
typedef int (*heddle_parallel_for)(void *data, heddle_task task,
                                   void *user_context, int32_t first,
                                   int32_t count, uint8_t *closure);

/* A buffer as a kernel sees it; the layout is that of Halide's halide_buffer_t.
 * Dimensions are innermost first. */
typedef struct heddle_dimension {
  int32_t min;
  int32_t extent;
  int32_t stride; /* in elements */
  uint32_t flags;
} heddle_dimension;

typedef struct heddle_buffer {
  uint64_t device;
  const void *device_interface;
  uint8_t *data;
  uint64_t flags;
  uint8_t type_code; /* 0 signed, 1 unsigned, 2 float, 4 bfloat, 5 E4M3 */
  uint8_t type_bits; /* 1 of an unsigned number that is 0 or 1, in a byte */
  uint16_t type_lanes;
  int32_t rank;
  heddle_dimension *dimensions;
  void *reserved;
} heddle_buffer;

/* Handed to the observer before (finished = 0) and after (finished = 1) each
 * kernel. `buffers` are what the kernel reads, then what it writes, scratch
 * included, in the order of `heddlec --emit=halide`. */
typedef struct heddle_kernel_event {
  const char *entry;
  const char *kernel;
  uint32_t launch; /* position in the entry point, from 0 */
  uint32_t finished;
  uint32_t buffer_count;
  const heddle_buffer *const *buffers;
} heddle_kernel_event;

typedef void (*heddle_observer)(void *data, const heddle_kernel_event *event);

/* How a call runs. All fields may be zero; a null heddle_context does the same:
 * the call runs in the calling thread and failures have no message. */
typedef struct heddle_context {
  heddle_parallel_for parallel_for;
  void *parallel_for_data;
  heddle_observer observer;
  void *observer_data;
  heddle_error *error;
  /* Of models that a device runs: where to (heddle_stream_create). */
  struct heddle_stream *stream;
  /* Bit a is set where argument a of the call, an input or an output, lies in
   * the device's memory, at a multiple of an element's size. Caches and
   * workspace always do. */
  uint64_t device_arguments;
  /* The bytes of memory at each argument of the call, in order, where the
   * caller knows them: a call that needs more of one is refused. Null: the
   * memory is taken to be large enough. */
  const size_t *argument_bytes;
} heddle_context;

typedef struct heddle_frame heddle_frame;

/* Lets a device run its function of that number, of the model, in `blocks`
 * blocks of `threads` threads, once all that was launched in this frame before
 * is done. arguments[i] points to a value of sizes[i] bytes, which is an
 * address in the device's memory where are_buffers[i] is 1; a size of 0 ends
 * the arguments. Zero, or a heddle_status. */
typedef int (*heddle_launch)(const heddle_frame *frame, int32_t function,
                             int32_t blocks, int32_t threads,
                             int32_t shared_bytes, const int64_t *sizes,
                             void *const *arguments,
                             const uint8_t *are_buffers);

typedef enum heddle_direction {
  HEDDLE_TO_DEVICE = 0, /* from the host */
  HEDDLE_TO_HOST = 1,
  HEDDLE_ON_DEVICE = 2 /* from its memory to its memory */
} heddle_direction;

/* Copies `bytes` bytes, a heddle_direction says between what, once all that was
 * launched and copied in this frame before is done. What is of the host may be
 * used when this returns. Zero, or a heddle_status. */
typedef int (*heddle_copy)(const heddle_frame *frame, void *to,
                           const void *from, int64_t bytes, int32_t direction);

/* What the generated code of one call works on. Lives on the caller's stack.
 * Where a device runs the kernels, all pointers to data are addresses in its
 * memory. */
struct heddle_frame {
  const heddle_context *context; /* never null */
  const uint8_t *weights;        /* start of the packed data */
  void *const *buffers;          /* one for each argument of the entry point */
  const int64_t *sizes;          /* one for each symbol of the entry point */
  uint8_t *workspace;
  heddle_launch launch; /* null where the CPU runs the kernels */
  heddle_copy copy;     /* null as well */
  void *launcher;       /* the runtime's own */
};

typedef enum heddle_argument_kind {
  HEDDLE_ARGUMENT_INPUT = 1,
  HEDDLE_ARGUMENT_OUTPUT = 2,
  HEDDLE_ARGUMENT_CACHE = 3 /* read and written; layout is the model's own */
} heddle_argument_kind;

/* What an argument is, as the model declares it. */
typedef enum heddle_role {
  HEDDLE_ROLE_OTHER = 0,
  HEDDLE_ROLE_IDS = 1,       /* of tokens */
  HEDDLE_ROLE_LENGTHS = 2,   /* of sequences */
  HEDDLE_ROLE_STARTS = 3,    /* positions that a cache holds already */
  HEDDLE_ROLE_POSITIONS = 4, /* of tokens, or of first ones */
  HEDDLE_ROLE_LOGITS = 5,
  HEDDLE_ROLE_PAGES = 6,   /* of a cache, which a sequence's positions lie in */
  HEDDLE_ROLE_POOL = 7,    /* a cache that has pages in place of sequences */
  HEDDLE_ROLE_TYPES = 8,   /* of tokens: which text of a pair */
  HEDDLE_ROLE_HIDDEN = 9,  /* a vector for each token */
  HEDDLE_ROLE_POOLED = 10, /* one for each sequence or image */
  HEDDLE_ROLE_EMBEDDING = 11, /* the same, to be compared with others */
  HEDDLE_ROLE_CROSS = 12,     /* a cache that an encoder fills for a decoder */
  HEDDLE_ROLE_CROSS_LENGTHS = 13 /* of the sequences in it */
} heddle_role;

/* What a size is a number of. */
typedef enum heddle_count {
  HEDDLE_COUNT_OTHER = 0,
  HEDDLE_COUNT_BATCH = 1,   /* sequences */
  HEDDLE_COUNT_LENGTH = 2,  /* tokens of each */
  HEDDLE_COUNT_CAPACITY = 3 /* positions of a cache */
} heddle_count;

/* A named size that the caller chooses per call, such as batch or length. */
typedef struct heddle_symbol {
  const char *name;
  uint32_t counts; /* a heddle_count */
  uint32_t reserved;
  int64_t minimum;
  int64_t maximum;
} heddle_symbol;

#define HEDDLE_NO_ARGUMENT UINT32_MAX

/* Sizes are texts, for people and to be compared: "64", "batch",
 * "past + length". Their values are those that `measure` gives. */
typedef struct heddle_argument {
  const char *name;
  uint32_t kind; /* a heddle_argument_kind */
  uint32_t type; /* a heddle_type */
  uint32_t role; /* a heddle_role */
  uint32_t rank; /* 0 of a single element */
  /* Outermost first. For a cache: [batch, capacity, bytes of one position], or
   * [pages, positions of one, bytes of one position] of a pool. */
  const char *extent[HEDDLE_MAX_RANK];
  /* Each value v of an i32 or i64 input satisfies minimum <= v and v + added <=
   * maximum, where added is the value for the same sequence of the argument
   * `lengths`, or the size of that name, or 0. A null maximum: any value. */
  int64_t minimum;
  const char *maximum;
  const char *added; /* null for none */
  uint32_t lengths;  /* HEDDLE_NO_ARGUMENT for none */
  /* [batch, length, ...]: what follows the length of a sequence in that
   * argument is padding, of which values are free. HEDDLE_NO_ARGUMENT for none.
   */
  uint32_t padding;
  /* Of a cache: so many parts follow each other, each an array of sequences in
   * which a position takes part_bytes[part]. 0 of any other argument. */
  uint32_t parts;
  /* Of a cache: what is equal in two of the same extents and bytes of parts
   * where calls with either can go on with what the other has: a hash of its
   * heads, their dimensions and types, and whether it has pages. */
  uint32_t layout;
  const int64_t *part_bytes;
} heddle_argument;

/* What `measure` tells of an argument. Of the workspace, `bytes` alone, or the
 * two of HEDDLE_MEASURED_NOT_BROADCAST. */
typedef struct heddle_measurement {
  int64_t bytes;
  int64_t extent[HEDDLE_MAX_RANK];
  int64_t maximum; /* as in heddle_argument; 0 for none */
  int64_t added;
} heddle_measurement;

/* What `measure` returns. */
typedef enum heddle_measured {
  HEDDLE_MEASURED = 0,
  HEDDLE_MEASURED_TOO_LARGE = 1, /* a number leaves 64 bits */
  /* Of the workspace: what kernels count leaves the 32 bits that they do it
   * with. */
  HEDDLE_MEASURED_UNCOUNTABLE = 2,
  /* Of the workspace: a tensor would have less than no element, or none where
   * one is read. */
  HEDDLE_MEASURED_TOO_SMALL = 3,
  /* Of the workspace: the size extent[0] of a dimension, which is broadcast to
   * extent[1], is neither that nor 1. */
  HEDDLE_MEASURED_NOT_BROADCAST = 4
} heddle_measured;

typedef struct heddle_entry {
  const char *name;
  uint32_t symbol_count;
  uint32_t argument_count;
  uint32_t kernel_count;
  uint32_t device_kind; /* a heddle_device_kind: that of the model */
  const heddle_symbol *symbols;
  const heddle_argument *arguments;
  /* Measures the argument of that number, or the workspace where it is
   * argument_count, for sizes in the range of their symbols. */
  int (*measure)(const int64_t *sizes, uint32_t argument,
                 heddle_measurement *result);
  /* Relies on what `measure` has not refused. Zero, or what a kernel or
   * parallel_for returned. */
  int (*run)(const heddle_frame *frame);
  /* The same entry point for the next target of the object, with the same
   * arguments and symbols, and of the last one for the first; null where there
   * is one target. */
  const struct heddle_entry *next_target;
} heddle_entry;

/* What runs the kernels of a model. */
typedef enum heddle_device_kind {
  HEDDLE_DEVICE_NONE = 0, /* the CPU */
  HEDDLE_DEVICE_OPENCL = 1,
  HEDDLE_DEVICE_CUDA = 2
} heddle_device_kind;

/* A function that a device runs, and a program that has it, which the device's
 * driver compiles: OpenCL C, or PTX. Functions of one program stand side by
 * side, and have one pointer. */
typedef struct heddle_device_function {
  const char *name;
  const char *code;
} heddle_device_function;

/* Ids that an answer may not have, and those that it has to. Names in brackets
 * are those of generation_config.json of Hugging Face, whose meaning they have.
 */
typedef struct heddle_rules {
  const int32_t *suppressed_ids;   /* [suppressed_count]: none of its ids
                                    * (suppress_tokens, bad_words_ids) */
  const int32_t *suppressed_first; /* [suppressed_first_count]: not its first id
                                    * (begin_suppress_tokens) */
  /* Its first id, behind a prompt of one id (forced_bos_token_id), and its last
   * where the length is the largest that there may be (forced_eos_token_id);
   * null for any. */
  const int32_t *forced_first;
  const int32_t *forced_last;
  uint32_t suppressed_count;
  uint32_t suppressed_first_count;
  uint32_t renormalizes; /* 1: a search has the probabilities of ids that may
                          * follow add up to one (renormalize_logits) */
  uint32_t reserved;
  int64_t minimum_length; /* ids with those of the prompt (min_length) */
  int64_t minimum_new;    /* ids of its own (min_new_tokens) */
  int64_t unique_run;     /* so many ids in a row come once in a sequence
                           * (no_repeat_ngram_size); 0 for any number */
} heddle_rules;

/* How the folder of a model wants sequences to be continued
 * (generation_config.json of Hugging Face): what programs do unless they are
 * told otherwise. Sampling is that of heddle_sampling. */
typedef struct heddle_generation_defaults {
  const int32_t *end_ids;   /* [end_count]: each ends an answer */
  const int32_t *start_ids; /* [start_count]: what a sequence begins with */
  uint32_t end_count;
  uint32_t start_count;
  float temperature; /* 0 takes the likeliest id */
  float top_p;
  float min_p;
  float repetition_penalty;
  float length_penalty;    /* of a search */
  uint32_t early_stopping; /* of a search; 0 or 1 */
  uint32_t beams;          /* 0 chooses id by id; else a search of that width */
  uint32_t reserved;
  int64_t top_k;
  int64_t limit;          /* ids of an answer, at most; 0 for none */
  int64_t maximum_length; /* those of its prompt included; 0 for none */
  heddle_rules rules;
} heddle_generation_defaults;

/* Cache capacities are rounded up to a multiple of this many positions. */
#define HEDDLE_CACHE_BLOCK 32

/* The one public constant of an object: `<prefix>_model`. */
typedef struct heddle_model {
  uint32_t abi_version;
  uint32_t struct_size; /* sizeof(heddle_model) when compiled */
  const char *name;
  const char *target_cpu;
  const char *cpu_features; /* "avx2,fma": what the CPU must have */
  uint64_t fingerprint;     /* equal in the object and in its weights */
  uint64_t weights_size;    /* bytes of packed data */
  uint32_t entry_count;
  uint32_t device_kind; /* a heddle_device_kind */
  const heddle_entry *const *entries;
  /* The whole weights file where it is part of the object, and its bytes; null
   * and 0 elsewhere. Aligned as data_offset below is. */
  const void *embedded_weights;
  uint64_t embedded_size;
  const char *device; /* "opencl", "cuda:sm_90"; "" where the CPU runs them */
  uint64_t device_function_count;
  const heddle_device_function *device_functions;
  /* The model for the next target of the object, and of the last one for the
   * first; null where there is one target. Each is of another device_kind. The
   * public constant is the first's. */
  const struct heddle_model *next_target;
  const heddle_generation_defaults *generation; /* null for none */
} heddle_model;

/* The file of packed weights: this header, zeros up to data_offset, the data.
 */
#define HEDDLE_WEIGHTS_MAGIC "HEDDLEW1"
typedef struct heddle_weights_header {
  char magic[8];
  uint32_t abi_version;
  uint32_t header_size; /* sizeof(heddle_weights_header) */
  uint64_t fingerprint;
  uint64_t data_offset; /* a multiple of 4096 */
  uint64_t data_size;
  uint64_t data_checksum;   /* XXH3_64bits of the data */
  uint64_t header_checksum; /* XXH3_64bits of the bytes before this field */
} heddle_weights_header;

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_ABI_H */

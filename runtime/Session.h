/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What Session.c, SessionSampling.c and SessionSource.c share. Not installed.
 */
#ifndef HEDDLE_SESSION_H
#define HEDDLE_SESSION_H

#include "device/DeviceCall.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Entry points of the model that choose ids on its device, made by heddlec;
 * null where there is none. */
typedef struct heddle_samplers {
  const heddle_entry *of_all;    /* by temperature and min_p */
  const heddle_entry *of_likely; /* and by top_k and top_p before */
} heddle_samplers;

/* How many numbers of each sequence a call of them has. */
enum { HEDDLE_SAMPLER_PARAMETERS = 5 };

struct heddle_session {
  const heddle_model *model;
  const heddle_weights *weights;
  heddle_device *device; /* that runs the model, or null */
  heddle_context context;
  heddle_allocator allocator;
  heddle_decoder decoder;
  heddle_samplers samplers;
  int64_t batch, length, capacity;
  int64_t filled;  /* positions of each sequence that are in the cache */
  int64_t source;  /* of each source in the cross cache; 0 for no sources */
  bool has_logits; /* of what was appended last */
  size_t cache_size, workspace_size, cross_size, results_size, input_size;
  size_t cross_row; /* bytes of a source in the cross cache */
  /* Memory of what runs the model: */
  void *cache, *workspace, *cross;
  void *results;       /* of encode */
  void *device_logits; /* [batch, vocabulary], on a device */
  /* Memory of the host: */
  float *logits;             /* [batch, vocabulary] */
  bool are_logits_here;      /* in `logits`, though a device runs the model */
  int32_t *history;          /* [batch, capacity]: the ids of the sequences */
  heddle_candidate *scratch; /* [vocabulary] */
  /* Of a sampler, f32 and i32 [HEDDLE_SAMPLER_PARAMETERS, batch]: */
  void *parameters;
  /* Arguments of a step, i32 or i64: */
  void *ids;     /* [batch, length] */
  void *starts;  /* [batch] */
  void *lengths; /* [batch] */
  void *input;   /* [batch, source]: the ids of sources; and lengths of them,
                  * as steps take them */
  /* Of the source of each sequence, [batch]: */
  int32_t *source_lengths;
  int32_t *same_source; /* the first sequence that has the same */
};

/* Raises the sizes of memory to those of a call with `length` ids. */
heddle_status heddle_session_measure(heddle_session *session,
                                     const heddle_step *step, int64_t length,
                                     heddle_error *error);

/* Memory of what runs the model, or of the host. */
heddle_status heddle_session_allocate(const heddle_session *session,
                                      size_t size, bool is_models,
                                      void **memory, heddle_error *error);
void heddle_session_release(const heddle_session *session, bool is_models,
                            void *memory);

/* Makes element `index` of an i32 or i64 argument `value`. */
void heddle_store_index(const heddle_entry *entry, uint32_t argument,
                        void *elements, int64_t index, int64_t value);

/* Makes the source of sequence b that of parents[b]. */
heddle_status heddle_session_reorder_sources(heddle_session *session,
                                             const int32_t *parents,
                                             heddle_error *error);

/* Of a cache of the session's, which is an argument of the step. */
heddle_status heddle_session_reorder_cache(heddle_session *session,
                                           const heddle_step *step,
                                           uint32_t argument, void *cache,
                                           const int32_t *parents,
                                           heddle_error *error);

/* Where a call of the model has its logits. */
void *heddle_session_step_logits(const heddle_session *session);

/* What says that argument `argument` of a call lies on the device, if there is
 * one (heddle_context.device_arguments). */
uint64_t heddle_session_on_device(const heddle_session *session,
                                  uint32_t argument);

/* Fails where there are no logits. */
heddle_status heddle_check_appended(const heddle_session *session,
                                    heddle_error *error);

/* Finds them for the session's model and decoder. */
heddle_samplers heddle_find_samplers(const heddle_session *session);

/* Raises *workspace to the bytes that calls of the session's need. */
heddle_status heddle_measure_samplers(const heddle_session *session,
                                      size_t *workspace, heddle_error *error);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_SESSION_H */

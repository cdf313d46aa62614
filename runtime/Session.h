/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* What Session.c and SessionSampling.c share. Not installed. */
#ifndef HEDDLE_SESSION_H
#define HEDDLE_SESSION_H

#include "device/DeviceCall.h"

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_session {
  const heddle_model *model;
  const heddle_weights *weights;
  heddle_context context;
  heddle_allocator allocator;
  heddle_decoder decoder;
  const heddle_entry *sampler; /* of the model, or null */
  int64_t batch, length, capacity;
  int64_t filled; /* positions of each sequence that are in the cache */
  size_t cache_size, workspace_size;
  /* Memory of what runs the model: */
  void *cache, *workspace;
  void *device_logits; /* [batch, vocabulary], on a device */
  /* Memory of the host: */
  float *logits;             /* [batch, vocabulary] */
  bool are_logits_here;      /* in `logits`, though a device runs the model */
  int32_t *history;          /* [batch, capacity]: the ids of the sequences */
  float *parameters;         /* [3, batch] of a call of the sampler */
  heddle_candidate *scratch; /* [vocabulary] */
  /* Arguments of a step, i32 or i64: */
  void *ids;     /* [batch, length] */
  void *starts;  /* [batch] */
  void *lengths; /* [batch] */
};

/* The device that runs the model, or null. */
heddle_device *heddle_session_device(const heddle_session *session);

/* Where a call of the model has its logits. */
void *heddle_session_step_logits(const heddle_session *session);

/* What says that argument `argument` of a call lies on the device, if there is
 * one (heddle_context.device_arguments). */
uint64_t heddle_session_on_device(const heddle_session *session,
                                  uint32_t argument);

/* Finds the model's entry point that samples, made by heddlec, if it has one
 * for the decoder of the session. */
const heddle_entry *heddle_find_sampler(const heddle_session *session);

/* Bytes of workspace that its calls need. */
heddle_status heddle_measure_sampler(const heddle_session *session,
                                     size_t *workspace, heddle_error *error);

#ifdef __cplusplus
}
#endif
#endif /* HEDDLE_SESSION_H */

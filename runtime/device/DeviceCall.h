/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Calls whose kernels a device runs. Not installed. */
#ifndef HEDDLE_DEVICE_CALL_H
#define HEDDLE_DEVICE_CALL_H

#include "../Call.h"

/* Do stream and weights go together? */
heddle_status heddle_check_device(const heddle_call *call,
                                  const heddle_context *context,
                                  const heddle_weights *weights);

/* Uploads what the host has, runs the entry point on `frame`, which has no
 * launch yet, and downloads what the host gets. */
heddle_status heddle_run_on_device(const heddle_call *call,
                                   const heddle_weights *weights,
                                   heddle_frame frame, int *result);

#endif /* HEDDLE_DEVICE_CALL_H */

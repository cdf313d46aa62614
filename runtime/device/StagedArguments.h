/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Arguments of the host's, of which a call on a device has copies behind its
 * workspace. Not installed. */
#ifndef HEDDLE_STAGED_ARGUMENTS_H
#define HEDDLE_STAGED_ARGUMENTS_H

#include "../Call.h"

/* Does argument `a` of a call with these `device_arguments` lie in the host's
 * memory, so that the workspace has a copy of it? */
bool heddle_is_staged(const heddle_entry *entry, uint32_t a,
                      uint64_t device_arguments);

/* Can the host read that argument, if there is one? */
bool heddle_is_here(const heddle_call *call, uint32_t argument);

/* Adds to `bytes` of workspace those that copies of the host's arguments take
 * behind it. */
heddle_status heddle_measure_staged(const heddle_call *call, size_t *bytes);

/* Where each argument is on the device, and whether the host has outputs. */
heddle_status heddle_place_arguments(const heddle_call *call,
                                     const heddle_frame *frame, void **staged,
                                     bool *has_outputs);

/* Copies what the host has to where it was placed. */
heddle_status heddle_upload_inputs(const heddle_call *call,
                                   const heddle_frame *frame,
                                   void *const *staged);

/* Begins to copy to the host what it gets. */
heddle_status heddle_download_outputs(const heddle_call *call,
                                      const heddle_frame *frame,
                                      void *const *staged);

#endif /* HEDDLE_STAGED_ARGUMENTS_H */

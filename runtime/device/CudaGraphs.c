/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Launches of repeated calls as graphs: each call is captured, and the graph of
 * the last one is updated.
 */
#include "CudaDriver.h"

/* The launches of an entry point's calls in a stream, from the first call on
 * until the stream or the program goes. The driver loads kernels in a call that
 * is not captured; later ones are. */
typedef struct cuda_graph {
  struct cuda_graph *next;
  const cuda_stream *stream;
  const heddle_program *program;
  const heddle_entry *entry;
  int is_loaded;          /* a call has launched all kernels */
  CUgraphExec executable; /* of the last call that was captured, or null */
  int misfits; /* calls that it did not fit, or all where there is none */
} cuda_graph;

enum {
  FEW_KERNELS = 3, /* launched alone */
  MOST_MISFITS = 3 /* after so many, control flow decides what is launched */
};

static cuda_graph *find_graph(cuda_device *device, const cuda_stream *stream,
                              const heddle_program *program,
                              const heddle_entry *entry) {
  pthread_mutex_lock(&device->lock);
  cuda_graph *graph = device->graphs;
  while (graph && (graph->stream != stream || graph->program != program ||
                   graph->entry != entry))
    graph = graph->next;
  pthread_mutex_unlock(&device->lock);
  return graph;
}

/* Null where there is no memory for it; the next call tries again. */
static cuda_graph *add_graph(cuda_device *device, const cuda_stream *stream,
                             const heddle_program *program,
                             const heddle_entry *entry) {
  cuda_graph *graph =
      (cuda_graph *)heddle_allocate(&device->base.allocator, sizeof(*graph));
  if (!graph)
    return NULL;
  graph->stream = stream;
  graph->program = program;
  graph->entry = entry;
  pthread_mutex_lock(&device->lock);
  graph->next = device->graphs;
  device->graphs = graph;
  pthread_mutex_unlock(&device->lock);
  return graph;
}

void heddle_cuda_remove_graphs(cuda_device *device, const cuda_stream *stream,
                               const heddle_program *program,
                               bool has_context) {
  pthread_mutex_lock(&device->lock);
  for (cuda_graph **place = &device->graphs; *place;) {
    cuda_graph *graph = *place;
    if (graph->stream != stream && graph->program != program) {
      place = &graph->next;
      continue;
    }
    *place = graph->next;
    if (graph->executable && has_context)
      device->api.cuGraphExecDestroy(graph->executable);
    heddle_release(&device->base.allocator, graph);
  }
  pthread_mutex_unlock(&device->lock);
}

static heddle_status launch_graph(cuda_device *device, cuda_stream *stream,
                                  cuda_graph *graph, CUgraph captured,
                                  heddle_error *error) {
  CUgraphNode node = NULL;
  int reason = 0;
  heddle_status status = HEDDLE_OK;
  if (graph->executable &&
      device->api.cuGraphExecUpdate(graph->executable, captured, &node,
                                    &reason) != CUDA_SUCCESS) {
    device->api.cuGraphExecDestroy(graph->executable);
    graph->executable = NULL;
    ++graph->misfits;
  }
  if (!graph->executable)
    status = HEDDLE_CHECK(device, error, cuGraphInstantiate, &graph->executable,
                          captured, 0);
  if (status != HEDDLE_OK) {
    graph->executable = NULL;
    graph->misfits = MOST_MISFITS;
    return status;
  }
  return HEDDLE_CHECK(device, error, cuGraphLaunch, graph->executable,
                      stream->stream);
}

heddle_status heddle_cuda_end_capture(cuda_device *device, cuda_stream *stream,
                                      bool is_dropped, heddle_error *error) {
  CUgraph captured = NULL;
  if (!stream->is_captured)
    return HEDDLE_OK;
  stream->is_captured = 0;
  heddle_status status =
      HEDDLE_CHECK(device, is_dropped ? NULL : error, cuStreamEndCapture,
                   stream->stream, &captured);
  if (status == HEDDLE_OK && !is_dropped)
    status = launch_graph(device, stream, stream->call, captured, error);
  if (captured)
    device->api.cuGraphDestroy(captured);
  return status;
}

/* Launches go to the stream itself where they are few, and where the caller
 * captures it. */
heddle_status heddle_cuda_begin(heddle_stream *base,
                                const heddle_program *program,
                                const heddle_entry *entry,
                                heddle_error *error) {
  cuda_device *device = of_device(base->device);
  cuda_stream *stream = of_stream(base);
  int capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!stream->can_capture || entry->kernel_count <= FEW_KERNELS)
    return HEDDLE_OK;
  cuda_graph *graph = find_graph(device, stream, program, entry);
  if (!graph)
    graph = add_graph(device, stream, program, entry);
  stream->call = graph;
  if (!graph || !graph->is_loaded || graph->misfits >= MOST_MISFITS)
    return HEDDLE_OK;
  heddle_status status = enter(device, error);
  if (status != HEDDLE_OK)
    return status;
  stream->is_captured =
      device->api.cuStreamIsCapturing(stream->stream, &capture) ==
          CUDA_SUCCESS &&
      capture == CU_STREAM_CAPTURE_STATUS_NONE &&
      device->api.cuStreamBeginCapture(
          stream->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == CUDA_SUCCESS;
  return leave(device, HEDDLE_OK);
}

heddle_status heddle_cuda_finish(heddle_stream *base, bool has_failed,
                                 heddle_error *error) {
  cuda_device *device = of_device(base->device);
  cuda_stream *stream = of_stream(base);
  heddle_status status = HEDDLE_OK;
  if (stream->is_captured) {
    status = enter(device, has_failed ? NULL : error);
    if (status == HEDDLE_OK)
      status = leave(
          device, heddle_cuda_end_capture(device, stream, has_failed, error));
    else /* the context has gone, and the stream with it */
      stream->is_captured = 0;
  } else if (stream->call && !has_failed) {
    stream->call->is_loaded = 1;
  }
  stream->call = NULL;
  return status;
}

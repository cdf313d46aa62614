/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Packed weights: map them, check that they are whole and belong to the model.
 * The data itself is never copied.
 */
#define _GNU_SOURCE
#include "Internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { DATA_ALIGNMENT = 4096, SUBJECT_SIZE = 200 };

/* How messages call these weights: "weights file 'x'". Of a long path the end
 * is kept, so that the numbers behind it still fit into the message. */
static void name_file(char subject[SUBJECT_SIZE], const char *path) {
  const size_t kept = SUBJECT_SIZE - 32;
  size_t length = strlen(path);
  if (length > kept)
    snprintf(subject, SUBJECT_SIZE, "weights file '...%s'",
             path + (length - kept));
  else
    snprintf(subject, SUBJECT_SIZE, "weights file '%s'", path);
}

heddle_status heddle_check_model(const heddle_model *model,
                                 heddle_error *error) {
  if (!model)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "model is null");
  if (model->abi_version != HEDDLE_ABI_VERSION)
    return heddle_fail(error, HEDDLE_ABI_MISMATCH,
                       "the model was compiled for version %u of the runtime's "
                       "ABI, this runtime has version %u",
                       (unsigned)model->abi_version,
                       (unsigned)HEDDLE_ABI_VERSION);
  if (model->struct_size != sizeof(heddle_model))
    return heddle_fail(error, HEDDLE_ABI_MISMATCH,
                       "the object's heddle_model has %u bytes, this runtime's "
                       "has %zu",
                       (unsigned)model->struct_size, sizeof(heddle_model));
  return HEDDLE_OK;
}

/* The header by itself: is this a weights file, and is its description whole?
 */
static heddle_status check_header(const heddle_weights_header *header,
                                  const char *subject, heddle_error *error) {
  if (memcmp(header->magic, HEDDLE_WEIGHTS_MAGIC, sizeof(header->magic)) != 0)
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s does not start with '%s': not a Heddle weights file",
                       subject, HEDDLE_WEIGHTS_MAGIC);
  if (header->abi_version != HEDDLE_ABI_VERSION)
    return heddle_fail(error, HEDDLE_ABI_MISMATCH,
                       "%s has ABI version %u, this runtime has version %u",
                       subject, (unsigned)header->abi_version,
                       (unsigned)HEDDLE_ABI_VERSION);
  if (header->header_size != sizeof(*header))
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s has a header of %u bytes, expected %zu", subject,
                       (unsigned)header->header_size, sizeof(*header));
  uint64_t checksum =
      XXH3_64bits(header, offsetof(heddle_weights_header, header_checksum));
  if (checksum != header->header_checksum)
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s has a damaged header: checksum %016" PRIx64
                       ", expected %016" PRIx64,
                       subject, checksum, header->header_checksum);
  return HEDDLE_OK;
}

/* The header against the bytes that follow it. */
static heddle_status check_extent(const heddle_weights_header *header,
                                  uint64_t size, const char *subject,
                                  heddle_error *error) {
  uint64_t expected = 0;
  if (header->data_offset < header->header_size ||
      header->data_offset % DATA_ALIGNMENT != 0)
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s has its data at offset %" PRIu64
                       ", expected a multiple of %d behind the header",
                       subject, header->data_offset, DATA_ALIGNMENT);
  if (__builtin_add_overflow(header->data_offset, header->data_size, &expected))
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s has %" PRIu64 " bytes of data at offset %" PRIu64
                       ": the end is out of range",
                       subject, header->data_size, header->data_offset);
  if (size < expected)
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s is truncated: expected %" PRIu64
                       " bytes, actual size is %" PRIu64,
                       subject, expected, size);
  if (size > expected)
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s has trailing bytes: expected %" PRIu64
                       " bytes, actual size is %" PRIu64,
                       subject, expected, size);
  return HEDDLE_OK;
}

static heddle_status check_weights(const heddle_model *model,
                                   const uint8_t *file, uint64_t size,
                                   unsigned flags, const char *subject,
                                   heddle_error *error) {
  const heddle_weights_header *header = (const heddle_weights_header *)file;
  heddle_status status = check_header(header, subject, error);
  if (status == HEDDLE_OK)
    status = check_extent(header, size, subject, error);
  if (status != HEDDLE_OK)
    return status;
  if (header->fingerprint != model->fingerprint)
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s belongs to another model%s: fingerprint %016" PRIx64
                       ", the object of '%s' has %016" PRIx64,
                       subject, model->next_target ? " or target" : "",
                       header->fingerprint, model->name, model->fingerprint);
  if (header->data_size != model->weights_size)
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s has %" PRIu64 " bytes of data, the object of '%s' "
                       "expects %" PRIu64,
                       subject, header->data_size, model->name,
                       model->weights_size);
  if (flags & HEDDLE_WEIGHTS_VERIFY) {
    uint64_t checksum =
        XXH3_64bits(file + header->data_offset, (size_t)header->data_size);
    if (checksum != header->data_checksum)
      return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                         "%s has damaged data: checksum %016" PRIx64
                         ", expected %016" PRIx64,
                         subject, checksum, header->data_checksum);
  }
  return HEDDLE_OK;
}

/* What open and bind check before they look at the weights. */
static heddle_status check_call(const heddle_model *model, unsigned flags,
                                const heddle_allocator *allocator,
                                heddle_weights **weights, heddle_error *error) {
  if (!weights)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "weights is null");
  *weights = NULL;
  if (flags & ~(unsigned)(HEDDLE_WEIGHTS_VERIFY | HEDDLE_WEIGHTS_COPY))
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "flags is 0x%x, expected 0, HEDDLE_WEIGHTS_VERIFY, "
                       "HEDDLE_WEIGHTS_COPY or both",
                       flags);
  heddle_status status = heddle_check_allocator(allocator, error);
  if (status == HEDDLE_OK)
    status = heddle_check_model(model, error);
  if (status == HEDDLE_OK)
    status = heddle_check_cpu(model, error);
  return status;
}

/* Takes over `mapping` (null where the caller keeps the memory) on success. */
static heddle_status make_handle(const heddle_model *model, const uint8_t *file,
                                 void *mapping, size_t mapping_size,
                                 const heddle_allocator *allocator,
                                 heddle_weights **weights,
                                 heddle_error *error) {
  heddle_weights *handle = (heddle_weights *)heddle_allocate_for(
      allocator, sizeof(*handle), "the weights handle", error);
  if (!handle)
    return HEDDLE_OUT_OF_MEMORY;
  handle->model = model;
  handle->data = file + ((const heddle_weights_header *)file)->data_offset;
  handle->mapping = mapping;
  handle->mapping_size = mapping_size;
  if (allocator)
    handle->allocator = *allocator;
  *weights = handle;
  return heddle_succeed(error);
}

/* Maps a whole file; a file without room for the header is refused here because
 * an empty one cannot be mapped. */
static heddle_status map_file(const char *path, const char *subject,
                              void **mapping, size_t *size,
                              heddle_error *error) {
  heddle_status status = HEDDLE_OK;
  struct stat info;
  /* Nonblocking, as a pipe would otherwise wait for its writer. */
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return heddle_fail(error, HEDDLE_IO_ERROR, "cannot open %s: %s", subject,
                       strerror(errno));
  if (fstat(file, &info) != 0)
    status =
        heddle_fail(error, HEDDLE_IO_ERROR, "cannot read the size of %s: %s",
                    subject, strerror(errno));
  else if (!S_ISREG(info.st_mode))
    status = heddle_fail(error, HEDDLE_IO_ERROR, "%s is not a regular file",
                         subject);
  else if ((uint64_t)info.st_size < sizeof(heddle_weights_header))
    status =
        heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                    "%s has %lld bytes, its header alone has %zu", subject,
                    (long long)info.st_size, sizeof(heddle_weights_header));
  else if ((uint64_t)info.st_size > SIZE_MAX)
    status = heddle_fail(error, HEDDLE_IO_ERROR,
                         "%s has %lld bytes: more than this process can map",
                         subject, (long long)info.st_size);
  if (status == HEDDLE_OK) {
    *size = (size_t)info.st_size;
    *mapping = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    if (*mapping == MAP_FAILED)
      status = heddle_fail(
          error, errno == ENOMEM ? HEDDLE_OUT_OF_MEMORY : HEDDLE_IO_ERROR,
          "cannot map %s: %s", subject, strerror(errno));
  }
  close(file); /* the mapping stays */
  return status;
}

/* Puts a copy in place of the mapping of a file, which is gone either way. */
static heddle_status copy_file(const char *subject, void **mapping, size_t size,
                               heddle_error *error) {
  void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int failure = errno;
  if (copy != MAP_FAILED) {
#ifdef MADV_HUGEPAGE
    (void)madvise(copy, size, MADV_HUGEPAGE);
#endif
    memcpy(copy, *mapping, size);
    (void)mprotect(copy, size, PROT_READ);
  }
  munmap(*mapping, size);
  *mapping = copy;
  return copy == MAP_FAILED
             ? heddle_fail(error, HEDDLE_OUT_OF_MEMORY,
                           "no memory for a copy of %s, of %zu bytes: %s",
                           subject, size, strerror(failure))
             : HEDDLE_OK;
}

/* A whole weights file in memory that is aligned. */
static heddle_status use_memory(const heddle_model *model, const void *data,
                                uint64_t size, unsigned flags,
                                const char *subject,
                                const heddle_allocator *allocator,
                                heddle_weights **weights, heddle_error *error) {
  if (size < sizeof(heddle_weights_header))
    return heddle_fail(error, HEDDLE_BAD_WEIGHTS,
                       "%s has %" PRIu64 " bytes, its header alone has %zu",
                       subject, size, sizeof(heddle_weights_header));
  heddle_status status =
      check_weights(model, (const uint8_t *)data, size, flags, subject, error);
  if (status == HEDDLE_OK)
    status = make_handle(model, (const uint8_t *)data, NULL, 0, allocator,
                         weights, error);
  return status;
}

static heddle_status open_embedded(const heddle_model *model, unsigned flags,
                                   const heddle_allocator *allocator,
                                   heddle_weights **weights,
                                   heddle_error *error) {
  if (!model->embedded_weights)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "path is null, and the object of '%s' has no weights "
                       "inside (heddlec --embed-weights puts them there)",
                       model->name);
  return use_memory(model, model->embedded_weights, model->embedded_size, flags,
                    "weights in the object", allocator, weights, error);
}

heddle_status heddle_weights_open(const heddle_model *model, const char *path,
                                  unsigned flags,
                                  const heddle_allocator *allocator,
                                  heddle_weights **weights,
                                  heddle_error *error) {
  char subject[SUBJECT_SIZE];
  void *mapping = NULL;
  size_t size = 0;
  heddle_status status = check_call(model, flags, allocator, weights, error);
  if (status != HEDDLE_OK)
    return status;
  if (!path)
    return open_embedded(model, flags, allocator, weights, error);
  name_file(subject, path);
  status = map_file(path, subject, &mapping, &size, error);
  if (status != HEDDLE_OK)
    return status;
  /* Hints, so failures do not matter: read ahead now instead of one page fault
   * at a time in the first call, and use large pages where the kernel can. */
  (void)madvise(mapping, size, MADV_WILLNEED);
#ifdef MADV_HUGEPAGE
  (void)madvise(mapping, size, MADV_HUGEPAGE);
#endif
  if (flags & HEDDLE_WEIGHTS_COPY) {
    status = copy_file(subject, &mapping, size, error);
    if (status != HEDDLE_OK)
      return status;
  }
  status = check_weights(model, (const uint8_t *)mapping, size, flags, subject,
                         error);
  if (status == HEDDLE_OK)
    status = make_handle(model, (const uint8_t *)mapping, mapping, size,
                         allocator, weights, error);
  if (status != HEDDLE_OK)
    munmap(mapping, size);
  return status;
}

heddle_status heddle_weights_bind(const heddle_model *model, const void *data,
                                  size_t size, unsigned flags,
                                  const heddle_allocator *allocator,
                                  heddle_weights **weights,
                                  heddle_error *error) {
  static const char subject[] = "weights in memory";
  heddle_status status = check_call(model, flags, allocator, weights, error);
  if (status != HEDDLE_OK)
    return status;
  if (!data)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT, "data is null");
  if ((uintptr_t)data % HEDDLE_ALIGNMENT != 0)
    return heddle_fail(error, HEDDLE_INVALID_ARGUMENT,
                       "%s: data is %p, expected a multiple of %d", subject,
                       data, HEDDLE_ALIGNMENT);
  return use_memory(model, data, size, flags, subject, allocator, weights,
                    error);
}

const void *heddle_weights_data(const heddle_weights *weights, size_t *size) {
  if (size)
    *size = weights ? (size_t)weights->model->weights_size : 0;
  return weights ? weights->data : NULL;
}

heddle_device *heddle_weights_device(const heddle_weights *weights) {
  return weights ? weights->device : NULL;
}

void heddle_weights_close(heddle_weights *weights) {
  if (!weights)
    return;
  if (weights->device) {
    heddle_release_uploaded(weights);
    return;
  }
  heddle_allocator allocator = weights->allocator;
  if (weights->mapping)
    munmap(weights->mapping, weights->mapping_size);
  heddle_release(&allocator, weights);
}

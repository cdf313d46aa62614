/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* How many CPUs there are for this process: what it may run on, and what its
 * control groups have a quota for, such as those of a container. */
#define _GNU_SOURCE
#include "Internal.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 + 64 };

/* Reads the first line of `path`, without its end; 0 on failure. */
static int read_line(const char *path, char *line, int size) {
  FILE *file = fopen(path, "re");
  if (!file)
    return 0;
  int found = fgets(line, size, file) != NULL;
  fclose(file);
  if (found)
    line[strcspn(line, "\n")] = '\0';
  return found;
}

/* Whole CPUs, at least one; INT_MAX where there is no quota, which text that is
 * no number is, too: strtoll makes 0 of it. */
static int count_cpus(long long quota, long long period) {
  if (quota <= 0 || period <= 0 || quota / period >= INT_MAX)
    return INT_MAX;
  return quota < period ? 1 : (int)(quota / period);
}

/* Version 2: "max 100000" or "200000 100000", in microseconds. */
static int read_quota_v2(const char *folder) {
  char path[PATH_SIZE + 16], line[64], *end;
  snprintf(path, sizeof(path), "%s/cpu.max", folder);
  if (!read_line(path, line, sizeof(line)))
    return INT_MAX;
  long long quota = strtoll(line, &end, 10);
  return count_cpus(quota, strtoll(end, NULL, 10));
}

/* Version 1: two files, of which the quota is -1 where there is none. */
static int read_quota_v1(const char *root) {
  char path[PATH_SIZE + 32], quota[64], period[64];
  snprintf(path, sizeof(path), "%s/cpu/cpu.cfs_quota_us", root);
  if (!read_line(path, quota, sizeof(quota)))
    return INT_MAX;
  snprintf(path, sizeof(path), "%s/cpu/cpu.cfs_period_us", root);
  if (!read_line(path, period, sizeof(period)))
    return INT_MAX;
  return count_cpus(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

/* Appends to `folder` the group of version 2, "/a/b" of the line "0::/a/b". */
static void append_group(const char *groups, char *folder, size_t size) {
  char line[PATH_SIZE];
  FILE *file = fopen(groups, "re");
  if (!file)
    return;
  while (fgets(line, sizeof(line), file))
    if (strncmp(line, "0::/", 4) == 0) {
      line[strcspn(line, "\n")] = '\0';
      size_t used = strlen(folder);
      snprintf(folder + used, size - used, "%s", line + 3);
      break;
    }
  fclose(file);
}

/* The least quota of the group and of all that it is in. A container may see
 * its group as the root, and a name from outside that does not exist here. */
static int read_quotas(const char *groups, const char *root) {
  char folder[PATH_SIZE];
  size_t shortest = strlen(root);
  int least = read_quota_v1(root);
  if (shortest >= sizeof(folder))
    return least;
  snprintf(folder, sizeof(folder), "%s", root);
  append_group(groups, folder, sizeof(folder));
  for (;;) {
    int quota = read_quota_v2(folder);
    least = quota < least ? quota : least;
    char *slash = strrchr(folder + shortest, '/');
    if (!slash)
      return least;
    *slash = '\0';
  }
}

int heddle_available_cpus(const char *groups, const char *root) {
  long count = 0;
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    count = CPU_COUNT(&set);
#endif
  if (count < 1) /* not Linux, or more CPUs than a cpu_set_t has bits */
    count = sysconf(_SC_NPROCESSORS_ONLN);
  int quota = read_quotas(groups, root);
  count = count < quota ? count : quota;
  return count < 1 ? 1 : (int)count;
}

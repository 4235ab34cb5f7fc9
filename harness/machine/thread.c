/* SPDX-License-Identifier: MIT */
#include "machine/thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

bool bench_machine_thread_read(int tasks, const char *thread, const char *file, char *text, size_t size)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/%s", thread, file);
	int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t length = read(fd, text, size - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

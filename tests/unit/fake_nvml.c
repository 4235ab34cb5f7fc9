/* SPDX-License-Identifier: MIT */
/* A library with the names of NVML and two GPUs, of which the second is hot. */
int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int status);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetName(void *device, char *name, unsigned length);
int nvmlDeviceGetPersistenceMode(void *device, int *mode);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz);
int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *infos);
int nvmlDeviceGetUtilizationRates(void *device, unsigned *percents);
int fake_nvml_users(void);

enum { OK, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, CLOCK_SM = 1 };

static int users, cold, hot;

int nvmlInit_v2(void)
{
	users++;
	return OK;
}

int nvmlShutdown(void)
{
	users--;
	return OK;
}

int fake_nvml_users(void)
{
	return users;
}

const char *nvmlErrorString(int status)
{
	return status == INVALID_ARGUMENT ? "Invalid Argument" : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = 2;
	return OK;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
	*device = index == 0 ? &cold : &hot;
	return index < 2 ? OK : INVALID_ARGUMENT;
}

int nvmlDeviceGetName(void *device, char *name, unsigned length)
{
	name[0] = device == &hot ? 'H' : 'C';
	name[1] = '\0';
	return length >= 2 ? OK : INSUFFICIENT_SIZE;
}

int nvmlDeviceGetPersistenceMode(void *device, int *mode)
{
	*mode = 1;
	return device == &hot ? NOT_SUPPORTED : OK;
}

/* Idle and set clocks, or heat beside them. */
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
	*reasons = device == &hot ? 0x1 | 0x4 | 0x40 : 0x1 | 0x2;
	return OK;
}

int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = device == &hot ? 1200 : 1980;
	return type == CLOCK_SM ? OK : INVALID_ARGUMENT;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned *mhz)
{
	*mhz = 1980;
	return device && type == CLOCK_SM ? OK : INVALID_ARGUMENT;
}

int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *infos)
{
	*count = device == &hot ? 3 : 0;
	return infos || *count == 0 ? OK : INSUFFICIENT_SIZE;
}

int nvmlDeviceGetUtilizationRates(void *device, unsigned *percents)
{
	percents[0] = device == &hot ? 90 : 0;
	percents[1] = 0;
	return OK;
}

# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# bench capture: every call is counted, whoever makes it and however the program ends; the program is as it is without; and
# what was captured is measured. No test judges how long anything takes.

# compile NAME BODY [FLAGS..]: a program whose main() has the body.
compile()
{
	cat >"$1.c" <<-END
		#include <pthread.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
		void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
			const int *, const double *, const int *, const double *, double *, const int *);
		static float a[64 * 64], b[64 * 64];
		/* Products of 3 x 5 and 5 x 7 matrices in rows. */
		static void multiply(int times)
		{
			float c[64 * 64];
			for (int i = 0; i < times; i++)
				cblas_sgemm(101, 111, 111, 3, 7, 5, 1, a, 5, b, 7, 0, c, 7);
		}
		static void *thread(void *unused) { multiply(1000); return unused; }
		static void stop(int number) { (void)number; exit(5); }
		int main(int argc, char **argv)
		{
			(void)argc, (void)argv, (void)thread, (void)stop;
			$2
		}
	END
	gcc -O1 "$1.c" -o "$1" -pthread "${@:3}"
}

# counted FILE NAME: how often the calls of that routine or kernel were made, shape by shape.
counted()
{
	json "$1" "[p['count'] for p in j['products'] + j['launches'] if '$2' in (p.get('routine'), p.get('kernel'))]"
}

test_products_are_counted_with_their_shapes()
{
	# In columns, 4 x 2 by 2 x 6 with B transposed: in rows 6 x 2 by 2 x 4 with the first transposed.
	compile p 'int m = 4, n = 6, k = 2; double one = 1, x[64] = {1}, y[64];
		multiply(12);
		cblas_sgemm(102, 111, 112, 4, 6, 2, 1, a, 4, b, 6, 0, a, 4);
		cblas_sgemm(101, 111, 111, 0, 6, 2, 1, a, 2, b, 6, 0, a, 6);
		dgemm_("T", "N", &m, &n, &k, &one, x, &k, x, &k, &one, y, &m);
		return 0;' -lopenblas
	expect 0 bench capture -o c.json -- ./p
	has err "c.json: 14 products of 3 shapes, .*'bench run --suite gemm --set shapes=@c.json' measures them"
	[ "$(json c.json "sorted((p['dtype'], p['trans'], p['m'], p['n'], p['k'], p['lda'], p['ldb'], p['ldc'], p['beta'], p['count']) for p in j['products'])")" = \
		"[('f32', 'NN', 3, 7, 5, 5, 7, 7, 0, 12), ('f32', 'TN', 6, 4, 2, 6, 4, 4, 0, 1), ('f64', 'NT', 6, 4, 2, 2, 2, 4, 1, 1)]" ] || fail "$(cat c.json)"
	json c.json "[0 < p['seconds'] < 60 for p in j['products']]" | grep -q False && fail "$(cat c.json)"
	[ "$(json c.json "j['schema'], j['command'], j['lost'], j['launches']")" = "('bench-capture/1', './p', 0, [])" ] || fail "$(cat c.json)"
}

test_threads_child_processes_and_any_end_are_counted()
{
	compile threads 'pthread_t t[8]; for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, thread, 0);
		for (int i = 0; i < 8; i++) pthread_join(t[i], 0); return 0;' -lopenblas
	compile child 'if (argc > 1) { multiply(7); _exit(0); }
		if (fork() == 0) { multiply(20); if (fork() == 0) { multiply(3); exit(0); } wait(0); abort(); }
		wait(0); system("./child again"); multiply(1); return 0;' -lopenblas
	compile signal 'signal(SIGTERM, stop); multiply(4); raise(SIGTERM); return 0;' -lopenblas
	compile killed 'multiply(9); raise(SIGKILL); return 0;' -lopenblas
	export OPENBLAS_NUM_THREADS=1
	expect 0 bench capture -- ./threads
	[ "$(counted capture.json gemm)" = "[8000]" ] || fail "$(cat capture.json)"
	expect 0 bench capture -- ./child
	[ "$(counted capture.json gemm)" = "[31]" ] || fail "$(cat capture.json)"
	expect 5 bench capture -- ./signal
	[ "$(counted capture.json gemm)" = "[4]" ] || fail "$(cat capture.json)"
	expect 137 bench capture -- ./killed
	[ "$(counted capture.json gemm)" = "[9]" ] || fail "$(cat capture.json)"
}

test_the_program_is_as_it_is_without()
{
	compile p 'char line[99]; multiply(2); while (fgets(line, 99, stdin)) printf("%s-%s", argc > 1 ? argv[1] : "", line);
		fprintf(stderr, "to stderr\n"); return argc > 1 ? 42 : 0;' -lopenblas
	printf 'one\ntwo\n' >in
	expect 42 bench capture -o c.json -- ./p --word <in
	printf -- '--word-one\n--word-two\n' | cmp - out
	[ "$(grep -v '^bench: ' err)" = "to stderr" ] || fail "$(cat err)"
	expect 0 bench capture -o c.json -- sh -c './p <in' 
	expect 143 bench capture -o c.json -- sh -c "kill -TERM \$\$"
	# Of other libraries that the user loads, none is lost.
	LD_PRELOAD=/nonsuch.so expect 0 bench capture -o c.json -- printenv LD_PRELOAD
	has out '^/nonsuch.so:.*bench-capture.so$'
}

test_a_signal_to_bench_reaches_the_program()
{
	compile p 'signal(SIGTERM, stop); multiply(6); puts("ready"); fflush(stdout); for (;;) pause();' -lopenblas
	bench capture -o c.json -- ./p >out 2>err &
	wait_for ready out
	kill -TERM $!
	local status=0
	wait $! || status=$?
	[ $status = 5 ] || fail "exit status $status: $(cat err)"
	[ "$(counted c.json gemm)" = "[6]" ] || fail "$(cat c.json)"
}

test_no_call_is_said_and_writes_nothing()
{
	echo kept >c.json
	expect 3 bench capture -o c.json -- sh -c 'echo hello; exit 3'
	has out '^hello$'
	has err 'sh made no call that can be captured: .*c.json was not written'
	[ "$(cat c.json)" = kept ] || fail "$(cat c.json)"
}

test_what_cannot_be_run_or_written_is_said_before()
{
	expect 2 bench capture
	has err 'say which program: bench capture -- PROGRAM'
	expect 5 bench capture -- ./nonsuch
	has err 'nonsuch: No such file'
	expect 5 bench capture -o nonsuch/c.json -- touch ran
	has err 'nonsuch'
	mkdir folder
	expect 5 bench capture -o folder -- touch ran
	has err 'folder'
	[ ! -e ran ] || fail "the program ran"
}

# Each call that writes fails once, is cut short, or is the last before a kill.
test_a_file_that_cannot_be_written_is_as_it_was()
{
	local shim mode nth status
	shim=$(dirname "$BENCH")/tests/libfault_shim.so
	[ -e "$shim" ] || skip "there is no library here that makes calls fail"
	compile p 'multiply(2); return 0;' -lopenblas
	for mode in ENOSPC EIO short KILL; do
		for nth in 1 2 3 4 5 6 7 8; do
			echo kept >c.json
			status=0
			FAULT_KIND=write FAULT_NTH=$nth FAULT_MODE=$mode FAULT_ROOT=$PWD LD_PRELOAD=$shim \
				bench capture -o c.json -- ./p >out 2>err || status=$?
			if [ "$(cat c.json)" = kept ]; then
				[ $status = 5 ] || [ $status = 137 ] || fail "$mode at $nth: exit status $status and no file: $(cat err)"
			else
				[ "$(counted c.json gemm)" = "[2]" ] || fail "$mode at $nth: $(cat c.json)"
			fi
			echo "$mode $status" >>ends
		done
	done
	has ends '^ENOSPC 5$'
	has ends '^KILL 137$'
	has ends ' 0$'
	expect 0 bench capture -o c.json -- ./p
	[ "$(find . -name '*c.json*' | wc -l)" = 1 ] || fail "$(ls -A)"
}

test_numpy_is_counted()
{
	/usr/bin/python3 -c 'import numpy' 2>err || skip "NumPy is not installed: $(tail -n 1 err)"
	cat >p.py <<-END
		import numpy as np
		a, b = np.ones((30, 40), dtype=np.float32), np.ones((40, 50), dtype=np.float32)
		for i in range(17):
		    c = a @ b
		for i in range(3):
		    c = a.astype(float) @ b.astype(float)
		for i in range(2):
		    d = b.T @ a.T
		    e = a @ a.T
		f = a @ b[:, :1].copy()[:, 0]
		print(int(c.sum()), int(d.sum()), int(e.sum()), int(f.sum()))
	END
	/usr/bin/python3 p.py >without
	expect 0 bench capture -- /usr/bin/python3 p.py
	cmp out without
	[ "$(json capture.json "sorted((p['routine'], p['dtype'], p['trans'], p['m'], p['n'], p['k'], p['count']) for p in j['products'])")" = \
		"[('gemm', 'f32', 'NN', 30, 50, 40, 17), ('gemm', 'f32', 'TT', 50, 30, 40, 2), ('gemm', 'f64', 'NN', 30, 50, 40, 3), ('gemv', 'f32', 'NN', 30, 1, 40, 1), ('syrk', 'f32', 'NT', 30, 30, 40, 2)]" ] ||
		fail "$(cat capture.json)"
	expect 0 bench run --suite gemm --backend openblas --set shapes=@capture.json --dry-run
	[ "$(wc -l <out)" = 3 ] || fail "$(cat out)"
	has err 'capture.json: 3 uses, .* are left out, which suite gemm does not compute: .*syrk'
}

opencl='#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>'

test_opencl_kernels_are_counted_with_their_sizes()
{
	{
		echo "$opencl"
		cat <<-'END'
			#include <stdio.h>
			static const char *source = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }";
			int main(void)
			{
				cl_platform_id platform; cl_device_id device; cl_int status; cl_event event; int x[64] = {3};
				if (clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0)) return 77;
				cl_context context = clCreateContext(0, 1, &device, 0, 0, &status);
				cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
				cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(x), x, &status);
				cl_program program = clCreateProgramWithSource(context, 1, &source, 0, &status);
				clBuildProgram(program, 1, &device, "", 0, 0);
				cl_kernel kernel = clCreateKernel(program, "twice", &status);
				clSetKernelArg(kernel, 0, sizeof(memory), &memory);
				size_t global = 64, local = 16;
				for (int i = 0; i < 5; i++) clEnqueueNDRangeKernel(queue, kernel, 1, 0, &global, 0, 0, 0, 0);
				for (int i = 0; i < 2; i++) clEnqueueNDRangeKernel(queue, kernel, 1, 0, &global, &local, 0, 0, &event);
				clWaitForEvents(1, &event);
				clEnqueueReadBuffer(queue, memory, 1, 0, sizeof(x), x, 0, 0, 0);
				printf("%d\n", x[0]);
				return 0;
			}
		END
	} >p.c
	gcc p.c -o p -lOpenCL
	./p >without || skip "there is no OpenCL device"
	expect 0 bench capture -- ./p
	cmp out without
	[ "$(json capture.json "sorted((p['kernel'], p['global'], p.get('local', []), p['count'], p['seconds'] > 0) for p in j['launches'])")" = \
		"[('twice', [64], [], 5, True), ('twice', [64], [16], 2, True)]" ] || fail "$(cat capture.json)"
	has err '7 launches of OpenCL kernels, 2 different ones, .* on the device'
	expect 2 bench run --suite gemm --set shapes=@capture.json
	has err 'it has no shape of suite gemm'
}

test_clblast_is_counted_and_its_kernels_are_its_time()
{
	{
		echo "$opencl"
		cat <<-'END'
			#include <clblast_c.h>
			int main(void)
			{
				cl_platform_id platform; cl_device_id device; cl_int status;
				if (clGetPlatformIDs(1, &platform, 0) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0)) return 77;
				cl_context context = clCreateContext(0, 1, &device, 0, 0, &status);
				cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
				cl_mem memory = clCreateBuffer(context, 0, 1 << 16, 0, &status);
				for (int i = 0; i < 3; i++)
					if (CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeYes, 8, 16, 32, 1, memory, 0, 32,
							memory, 1024, 32, 0, memory, 4096, 16, &queue, 0)) return 1;
				clFinish(queue);
				return 0;
			}
		END
	} >p.c
	gcc p.c -o p -lclblast -lOpenCL 2>/dev/null || skip "CLBlast is not installed"
	./p || skip "there is no OpenCL device"
	expect 0 bench capture -- ./p
	[ "$(json capture.json "[(p['trans'], p['m'], p['n'], p['k'], p['count'], p['seconds'] > 0) for p in j['products']]")" = "[('NT', 8, 16, 32, 3, True)]" ] ||
		fail "$(cat capture.json)"
	[ "$(json capture.json "abs(sum(p['seconds'] for p in j['products']) - sum(p['seconds'] for p in j['launches'])) < 1e-6")" = True ] ||
		fail "$(cat capture.json)"
}

test_captured_shapes_are_measured_and_weighted()
{
	compile p 'multiply(12); cblas_sgemm(101, 111, 111, 8, 8, 8, 1, a, 8, b, 8, 0, a, 8); return 0;' -lopenblas
	bench capture -o c.json -- ./p
	expect 0 bench run --suite gemm --backend openblas,reference --set shapes=@c.json -k 1 --budget 1s --watch no
	has out '^in all: openblas:.*: 13 uses of 2 shapes take .*, .* times the .* captured'
	has out '^in all: reference:.*: 13 uses of 2 shapes take '
	valid runs/*/metrics.json
	[ "$(json runs/*/metrics.json "sorted(r['notes']['uses'] for r in j['results'])")" = "['1', '1', '12', '12']" ] || fail "$(cat runs/*/metrics.json)"
	expect 0 bench show last
	has out '^in all: openblas:.*: 13 uses of 2 shapes take '
	# A list with a shape a line; what else is set replaces parameters.
	printf 'm=8 n=8 k=8 uses=4\nrocblas-bench -f gemm -r f32_r -m 9 -n 8 -k 7\n' >list.txt
	expect 0 bench run --suite gemm --backend openblas --set shapes=@list.txt,@c.json --set dtype=f64 --dry-run
	[ "$(grep -c '/dtype=f64,' out)" = 3 ] || fail "$(cat out)"
	printf 'm=8\nm=0\n' >list.txt
	expect 2 bench run --suite gemm --set shapes=@list.txt
	has err 'list.txt:2: 0 is out of range: parameter m takes 1 to'
	printf 'm=8\nm=16 n=16 k=16 lda=4\n' >list.txt
	expect 2 bench run --suite gemm --set shapes=@list.txt
	has err 'list.txt:2: .*lda=4: it must be 0, or no less than'
	expect 2 bench run --suite gemm --set shapes=@nonsuch.txt
	has err 'nonsuch.txt'
}

PRAGMA foreign_keys = OFF;
CREATE TABLE host (
    host        INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL
) STRICT;
CREATE TABLE device (
    device  INTEGER PRIMARY KEY,
    backend TEXT NOT NULL,
    slug    TEXT NOT NULL,
    name    TEXT NOT NULL,
    UNIQUE (backend, slug)
) STRICT;
CREATE TABLE run (
    run         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    started     INTEGER NOT NULL,
    finished    INTEGER,            -- NULL: cut short
    interrupted INTEGER NOT NULL,
    preset      TEXT NOT NULL,
    commit_hash TEXT NOT NULL,      -- '' outside of git
    branch      TEXT NOT NULL,
    dirty       INTEGER NOT NULL,
    host        INTEGER NOT NULL REFERENCES host,
    folder      TEXT NOT NULL,
    head        TEXT NOT NULL       -- the event "run" of samples.jsonl: all that is known but the results
, aside TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE result (
    result     INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    suite      TEXT NOT NULL,
    device     INTEGER NOT NULL REFERENCES device,
    status     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    error      REAL,                -- of the worst check
    tolerance  REAL,
    method     TEXT,                -- NULL: not checked
    iterations INTEGER NOT NULL,
    stopped    TEXT NOT NULL,
    head       TEXT NOT NULL,       -- the event "case" of samples.jsonl: parameters, work, notes
    UNIQUE (run, position)
) STRICT;
CREATE TABLE metric_key (
    metric_key INTEGER PRIMARY KEY,
    key        TEXT NOT NULL UNIQUE -- suite/backend:device/k=v,k=v/metric
) STRICT;
CREATE TABLE metric (
    metric       INTEGER PRIMARY KEY,
    result       INTEGER NOT NULL REFERENCES result ON DELETE CASCADE,
    metric_key   INTEGER NOT NULL REFERENCES metric_key,
    name         TEXT NOT NULL,
    unit         TEXT NOT NULL,
    better       TEXT NOT NULL,     -- lower, higher, none
    derived_from TEXT NOT NULL,     -- '': measured
    median       REAL,
    ci_lo        REAL,
    ci_hi        REAL,
    ci_level     REAL,
    ci_over      TEXT NOT NULL,     -- invocations, samples
    min          REAL,
    mean         REAL,
    stddev       REAL,
    p05          REAL,
    p95          REAL,
    n            INTEGER NOT NULL
, disturbed INTEGER NOT NULL DEFAULT 0, invocations INTEGER) STRICT;
CREATE TABLE sample (
    sample     INTEGER PRIMARY KEY,
    metric     INTEGER NOT NULL REFERENCES metric ON DELETE CASCADE,
    invocation INTEGER NOT NULL,
    n          INTEGER NOT NULL,
    data       BLOB NOT NULL, disturbed BLOB,
    UNIQUE (metric, invocation)
) STRICT;
CREATE TABLE baseline (
    baseline INTEGER PRIMARY KEY,
    name     TEXT NOT NULL UNIQUE,
    created  INTEGER NOT NULL
) STRICT;
CREATE TABLE baseline_run (
    baseline INTEGER NOT NULL REFERENCES baseline ON DELETE CASCADE,
    run      INTEGER NOT NULL REFERENCES run,
    position INTEGER NOT NULL,
    PRIMARY KEY (baseline, run)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdict (
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    baseline   TEXT NOT NULL,
    key        TEXT NOT NULL,       -- of the metric; for a broken case, of the case
    verdict    TEXT NOT NULL,
    ratio      REAL,
    lo         REAL,
    hi         REAL,
    p_adjusted REAL,
    mde        REAL, threshold REAL,
    PRIMARY KEY (run, baseline, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE watched (
    result       INTEGER NOT NULL REFERENCES result ON DELETE CASCADE,
    position     INTEGER NOT NULL,
    invocation   INTEGER NOT NULL,
    disturbed    REAL,              -- share of the visits
    canary       REAL,              -- s, the median
    canary_worst REAL,              -- the slowest over the fastest of the run
    others       REAL,              -- processor cores that other processes used, in the worst visit
    steal        REAL,              -- processor cores that the hypervisor took, in the worst visit
    frequency    REAL,              -- Hz, the lowest
    device       TEXT NOT NULL,     -- what the device's driver told
    PRIMARY KEY (result, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE accepted (
    accepted    INTEGER PRIMARY KEY,
    pattern     TEXT NOT NULL,
    since       INTEGER NOT NULL,   -- start of the first run that counts
    run         TEXT NOT NULL,      -- its id
    fingerprint TEXT NOT NULL,      -- of the host that it holds for; '': of all
    why         TEXT NOT NULL,
    created     INTEGER NOT NULL,
    UNIQUE (pattern, since, fingerprint)
) STRICT;
CREATE INDEX run_by_time ON run (started, length(id), id);
CREATE INDEX metric_by_result ON metric (result);
CREATE INDEX metric_by_key ON metric (metric_key);
CREATE INDEX baseline_run_by_run ON baseline_run (run);
INSERT INTO host (host, fingerprint, name) VALUES (1, '659470b9cacf88e3', 'vm');
INSERT INTO device (device, backend, slug, name) VALUES (1, 'host', 'cpu', '');
INSERT INTO run (run, id, started, finished, interrupted, preset, commit_hash, branch, dirty, host, folder, head, aside) VALUES (1, '20261123-081606', 1795421766, 1795421766, 0, 'nightly', '', '', 0, 1, '/bench/runs/20261123-081606', '{"event":"run","schema":"bench-samples/1","run":{"id":"20261123-081606","started":1795421766,"finished":1795421766,"interrupted":false,"command":"bench run --suite null --set spin=0,1000 --invocations 2 --budget 0.05s --watch no","preset":"nightly","labels":{},"budget_seconds":0.05,"precision":0.01,"invocations":2,"seed":"1","selection":{"suites":["null"],"targets":["host:cpu"],"backends":"","filter":"","sets":["spin=0,1000"]}},"git":null,"host":{"cpu":"AMD EPYC","name":"vm","kernel":"Linux 6.18.44-fc-v509 x86_64","os":"Debian GNU/Linux 12 (bookworm)","microcode":"0x1000065","huge_pages":"always [madvise] never","clocksource":"tsc","load_1min":"13.51","cores":"2","hardware_threads":"2","threads":"2","l1_bytes":"49152","l2_bytes":"1048576","l3_bytes":"33554432","memory_bytes":"25276518400","fingerprint":"659470b9cacf88e3","clock_tick_ns":"20","clock_cost_ns":"21.9","version":"0.1.0","build_commit":"64dc50cd6cc1d52f0cef346f9241b1f7911d3a35-dirty","build_type":"Debug","compiler":"GNU 12.2.0","flags":"-g","lib.glibc":"2.36","lib.sqlite":"3.40.1","lib.zlib":"1.2.13","executable":"e1183cc16c972e28","pin":"yes","cache":"hot","shuffle":"yes","watch":"no","env.OMP_PROC_BIND":"true","env.OMP_PLACES":"threads","env.GOMP_SPINCOUNT":"2000","env.OPENBLAS_THREAD_TIMEOUT":"20","env.OPENBLAS_L2_SIZE":"512","env.OPENBLAS_CORETYPE":"Haswell","env":"OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT OPENBLAS_THREAD_TIMEOUT POCL_AFFINITY OMP_NUM_THREADS OMP_DYNAMIC OMP_SCHEDULE GOMP_CPU_AFFINITY OPENBLAS_NUM_THREADS GOTO_NUM_THREADS POCL_MAX_PTHREAD_COUNT OPENBLAS_CORETYPE OPENBLAS_L2_SIZE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA ONEDNN_DEFAULT_FPMATH_MODE DNNL_DEFAULT_FPMATH_MODE POCL_WORK_GROUP_METHOD BENCH_OPENCL_OPTIONS NVIDIA_TF32_OVERRIDE CUDA_VISIBLE_DEVICES OCL_ICD_VENDORS GLIBC_TUNABLES LD_LIBRARY_PATH LD_PRELOAD"},"devices":[]}', '');
INSERT INTO run (run, id, started, finished, interrupted, preset, commit_hash, branch, dirty, host, folder, head, aside) VALUES (2, '20261123-081608', 1795421768, 1795421768, 0, 'nightly', '', '', 0, 1, '/bench/runs/20261123-081608', '{"event":"run","schema":"bench-samples/1","run":{"id":"20261123-081608","started":1795421768,"finished":1795421768,"interrupted":false,"command":"bench run --suite null --set spin=0,1000 --invocations 2 --budget 0.05s --watch no","preset":"nightly","labels":{},"budget_seconds":0.05,"precision":0.01,"invocations":2,"seed":"1","selection":{"suites":["null"],"targets":["host:cpu"],"backends":"","filter":"","sets":["spin=0,1000"]}},"git":null,"host":{"cpu":"AMD EPYC","name":"vm","kernel":"Linux 6.18.44-fc-v509 x86_64","os":"Debian GNU/Linux 12 (bookworm)","microcode":"0x1000065","huge_pages":"always [madvise] never","clocksource":"tsc","load_1min":"13.47","cores":"2","hardware_threads":"2","threads":"2","l1_bytes":"49152","l2_bytes":"1048576","l3_bytes":"33554432","memory_bytes":"25276518400","fingerprint":"659470b9cacf88e3","clock_tick_ns":"20","clock_cost_ns":"22.1","version":"0.1.0","build_commit":"64dc50cd6cc1d52f0cef346f9241b1f7911d3a35-dirty","build_type":"Debug","compiler":"GNU 12.2.0","flags":"-g","lib.glibc":"2.36","lib.sqlite":"3.40.1","lib.zlib":"1.2.13","executable":"e1183cc16c972e28","pin":"yes","cache":"hot","shuffle":"yes","watch":"no","env.OMP_PROC_BIND":"true","env.OMP_PLACES":"threads","env.GOMP_SPINCOUNT":"2000","env.OPENBLAS_THREAD_TIMEOUT":"20","env.OPENBLAS_L2_SIZE":"512","env.OPENBLAS_CORETYPE":"Haswell","env":"OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT OPENBLAS_THREAD_TIMEOUT POCL_AFFINITY OMP_NUM_THREADS OMP_DYNAMIC OMP_SCHEDULE GOMP_CPU_AFFINITY OPENBLAS_NUM_THREADS GOTO_NUM_THREADS POCL_MAX_PTHREAD_COUNT OPENBLAS_CORETYPE OPENBLAS_L2_SIZE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA ONEDNN_DEFAULT_FPMATH_MODE DNNL_DEFAULT_FPMATH_MODE POCL_WORK_GROUP_METHOD BENCH_OPENCL_OPTIONS NVIDIA_TF32_OVERRIDE CUDA_VISIBLE_DEVICES OCL_ICD_VENDORS GLIBC_TUNABLES LD_LIBRARY_PATH LD_PRELOAD"},"devices":[]}', '');
INSERT INTO run (run, id, started, finished, interrupted, preset, commit_hash, branch, dirty, host, folder, head, aside) VALUES (3, '20261123-081609', 1795421769, 1795421770, 0, 'nightly', '', '', 0, 1, '/bench/runs/20261123-081609', '{"event":"run","schema":"bench-samples/1","run":{"id":"20261123-081609","started":1795421769,"finished":1795421770,"interrupted":false,"command":"bench run --suite null --set spin=0 --invocations 1 --budget 0.05s --watch no --label aside=power","preset":"nightly","labels":{"aside":"power"},"budget_seconds":0.05,"precision":0.01,"invocations":1,"seed":"1","selection":{"suites":["null"],"targets":["host:cpu"],"backends":"","filter":"","sets":["spin=0"]}},"git":null,"host":{"cpu":"AMD EPYC","name":"vm","kernel":"Linux 6.18.44-fc-v509 x86_64","os":"Debian GNU/Linux 12 (bookworm)","microcode":"0x1000065","huge_pages":"always [madvise] never","clocksource":"tsc","load_1min":"13.47","cores":"2","hardware_threads":"2","threads":"2","l1_bytes":"49152","l2_bytes":"1048576","l3_bytes":"33554432","memory_bytes":"25276518400","fingerprint":"659470b9cacf88e3","clock_tick_ns":"20","clock_cost_ns":"21.6","version":"0.1.0","build_commit":"64dc50cd6cc1d52f0cef346f9241b1f7911d3a35-dirty","build_type":"Debug","compiler":"GNU 12.2.0","flags":"-g","lib.glibc":"2.36","lib.sqlite":"3.40.1","lib.zlib":"1.2.13","executable":"e1183cc16c972e28","pin":"yes","cache":"hot","shuffle":"yes","watch":"no","env.OMP_PROC_BIND":"true","env.OMP_PLACES":"threads","env.GOMP_SPINCOUNT":"2000","env.OPENBLAS_THREAD_TIMEOUT":"20","env.OPENBLAS_L2_SIZE":"512","env.OPENBLAS_CORETYPE":"Haswell","env":"OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT OPENBLAS_THREAD_TIMEOUT POCL_AFFINITY OMP_NUM_THREADS OMP_DYNAMIC OMP_SCHEDULE GOMP_CPU_AFFINITY OPENBLAS_NUM_THREADS GOTO_NUM_THREADS POCL_MAX_PTHREAD_COUNT OPENBLAS_CORETYPE OPENBLAS_L2_SIZE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA ONEDNN_DEFAULT_FPMATH_MODE DNNL_DEFAULT_FPMATH_MODE POCL_WORK_GROUP_METHOD BENCH_OPENCL_OPTIONS NVIDIA_TF32_OVERRIDE CUDA_VISIBLE_DEVICES OCL_ICD_VENDORS GLIBC_TUNABLES LD_LIBRARY_PATH LD_PRELOAD"},"devices":[]}', 'power');
INSERT INTO result (result, run, position, suite, device, status, reason, error, tolerance, method, iterations, stopped, head) VALUES (1, 1, 0, 'null', 1, 'ok', '', 0.0, 0.0, 'iterations and steps counted', 1000000, 'budget', '{"event":"case","index":0,"suite":"null","backend":"host","device":"cpu","case":{"spin":"0"},"work":{"flops":0,"bytes":0,"items":1,"device_bytes":0,"largest_bytes":0,"host_bytes":0},"repeat":"bench run --suite null --set spin=0 --seed 1","notes":{}}');
INSERT INTO result (result, run, position, suite, device, status, reason, error, tolerance, method, iterations, stopped, head) VALUES (2, 1, 1, 'null', 1, 'ok', '', 0.0, 0.0, 'iterations and steps counted', 1858, 'budget', '{"event":"case","index":1,"suite":"null","backend":"host","device":"cpu","case":{"spin":"1000"},"work":{"flops":0,"bytes":0,"items":1,"device_bytes":0,"largest_bytes":0,"host_bytes":0},"repeat":"bench run --suite null --set spin=1000 --seed 1","notes":{}}');
INSERT INTO result (result, run, position, suite, device, status, reason, error, tolerance, method, iterations, stopped, head) VALUES (3, 2, 0, 'null', 1, 'ok', '', 0.0, 0.0, 'iterations and steps counted', 1000000, 'budget', '{"event":"case","index":0,"suite":"null","backend":"host","device":"cpu","case":{"spin":"0"},"work":{"flops":0,"bytes":0,"items":1,"device_bytes":0,"largest_bytes":0,"host_bytes":0},"repeat":"bench run --suite null --set spin=0 --seed 1","notes":{}}');
INSERT INTO result (result, run, position, suite, device, status, reason, error, tolerance, method, iterations, stopped, head) VALUES (4, 2, 1, 'null', 1, 'ok', '', 0.0, 0.0, 'iterations and steps counted', 2382, 'budget', '{"event":"case","index":1,"suite":"null","backend":"host","device":"cpu","case":{"spin":"1000"},"work":{"flops":0,"bytes":0,"items":1,"device_bytes":0,"largest_bytes":0,"host_bytes":0},"repeat":"bench run --suite null --set spin=1000 --seed 1","notes":{}}');
INSERT INTO result (result, run, position, suite, device, status, reason, error, tolerance, method, iterations, stopped, head) VALUES (5, 3, 0, 'null', 1, 'ok', '', 0.0, 0.0, 'iterations and steps counted', 1944894, 'budget', '{"event":"case","index":0,"suite":"null","backend":"host","device":"cpu","case":{"spin":"0"},"work":{"flops":0,"bytes":0,"items":1,"device_bytes":0,"largest_bytes":0,"host_bytes":0},"repeat":"bench run --suite null --set spin=0 --seed 1","notes":{}}');
INSERT INTO metric_key (metric_key, key) VALUES (1, 'null/host:cpu/spin=0/first_call');
INSERT INTO metric_key (metric_key, key) VALUES (2, 'null/host:cpu/spin=0/time');
INSERT INTO metric_key (metric_key, key) VALUES (3, 'null/host:cpu/spin=0/item_rate');
INSERT INTO metric_key (metric_key, key) VALUES (4, 'null/host:cpu/spin=1000/first_call');
INSERT INTO metric_key (metric_key, key) VALUES (5, 'null/host:cpu/spin=1000/time');
INSERT INTO metric_key (metric_key, key) VALUES (6, 'null/host:cpu/spin=1000/item_rate');
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (1, 1, 1, 'first_call', 's', 'none', '', 2.65499693341553211212e-07, 2.49998265644535422325e-07, 2.81001121038571e-07, 0.5, 'invocations', 2.49998265644535422325e-07, 2.65499693341553211212e-07, 2.19223292852684891189e-08, 2.51548408414237222377e-07, 2.79450978268869200046e-07, 2, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (2, 1, 2, 'time', 's', 'lower', '', 2.32752827789962455544e-09, 1.32948155579924862925e-09, 3.32557500000000048163e-09, 0.5, 'invocations', 1.204928e-09, 6.68254677916346e-09, 1.03532172568273542862e-08, 1.20593560000000012198e-09, 2.65126877559660661075e-08, 12, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (3, 1, 3, 'item_rate', 'item/s', 'higher', 'time', 5.65768206631785273551e+08, 3.7500953703456145526e+08, 7.56526876229009151474e+08, 0.5, 'invocations', 2.8454939098635908215e+07, 5.00109641383711338042e+08, 3.42216972080594360834e+08, 4.10804807432925701143e+07, 8.2923215076624274258e+08, 12, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (4, 2, 4, 'first_call', 's', 'none', '', 1.84249984158668667078e-06, 1.8329992599319666624e-06, 1.85200042324140667915e-06, 0.5, 'invocations', 1.8329992599319666624e-06, 1.84249984158668667078e-06, 1.3435851426538057687e-08, 1.83394931809743874789e-06, 1.85105036507593459366e-06, 2, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (5, 2, 5, 'time', 's', 'lower', '', 3.32331417400114050193e-06, 1.13433423035522080134e-06, 5.51229411764706e-06, 0.5, 'invocations', 9.87317545748116298393e-07, 3.13960850229398068418e-06, 4.38135037328410286176e-06, 9.91866738428417643938e-07, 1.03921854509322628351e-05, 18, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (6, 2, 6, 'item_rate', 'item/s', 'higher', 'time', 5.31493527405232889584e+05, 1.81412671141512517342e+05, 8.81574383668953087157e+05, 0.5, 'invocations', 5.36931339717094379022e+04, 6.66047906314740073866e+05, 3.59658100587837281647e+05, 1.03138123724617937113e+05, 1.0082037108114610892e+06, 18, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (7, 3, 1, 'first_call', 's', 'none', '', 2.89999661617912352085e-07, 2.80000676866620779037e-07, 2.99998646369203925132e-07, 0.5, 'invocations', 2.80000676866620779037e-07, 2.89999661617912352085e-07, 1.41406998452383117839e-08, 2.81000575341749957505e-07, 2.98998747894074746664e-07, 2, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (8, 3, 2, 'time', 's', 'lower', '', 9.84991025816117e-09, 9.54878951632233886458e-09, 1.01510310000000009882e-08, 0.5, 'invocations', 1.224206e-09, 9.44385619682382716939e-09, 4.88957993917854567486e-09, 2.880980180641060516e-09, 1.4970373456542285758e-08, 6, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (9, 3, 3, 'item_rate', 'item/s', 'higher', 'time', 1.01618738516170531514e+08, 9.85121609814805835464e+07, 1.0472531605086046457e+08, 0.5, 'invocations', 6.25123346914257258183e+07, 2.15678443410356432191e+08, 2.95305003157306313506e+08, 6.79086169972766637813e+07, 6.44483839533805847156e+08, 6, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (10, 4, 4, 'first_call', 's', 'none', '', 1.97800181922502815723e-06, 1.92300285561941564083e-06, 2.03300078283064067363e-06, 0.5, 'invocations', 1.92300285561941564083e-06, 1.97800181922502815723e-06, 7.77802802475214854691e-08, 1.92850275197997706178e-06, 2.02750088647007925264e-06, 2, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (11, 4, 5, 'time', 's', 'lower', '', 8.50613694446768e-06, 7.17655432554325500588e-06, 9.83571956339210810935e-06, 0.5, 'invocations', 1.16454571545715464286e-06, 1.09662247183072182328e-05, 7.25458265417999697676e-06, 2.66754786797867962742e-06, 2.02882748086045082425e-05, 6, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (12, 4, 6, 'item_rate', 'item/s', 'higher', 'time', 1.20506439797863582497e+05, 1.01670243194197333646e+05, 1.39342636401529831349e+05, 0.5, 'invocations', 4.70797863233892785505e+04, 2.19319095070116483838e+05, 3.15124161855936516071e+05, 4.96517047861916798866e+04, 6.78863617853018920869e+05, 6, 0, 2);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (13, 5, 1, 'first_call', 's', 'none', '', 2.49998265644535422325e-07, 2.49998265644535422325e-07, 2.49998265644535422325e-07, 0.0, 'samples', 2.49998265644535422325e-07, 2.49998265644535422325e-07, NULL, 2.49998265644535422325e-07, 2.49998265644535422325e-07, 1, 0, 1);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (14, 5, 2, 'time', 's', 'lower', '', 1.56567848941896071968e-08, 1.22975699446859317465e-09, 2.21473684427017644899e-08, 0.75, 'samples', 1.22975699446859317465e-09, 1.30113034437866541281e-08, 1.07067990666274031545e-08, 2.67245978444069465966e-09, 2.14983100878505494239e-08, 3, 0, 1);
INSERT INTO metric (metric, result, metric_key, name, unit, better, derived_from, median, ci_lo, ci_hi, ci_level, ci_over, min, mean, stddev, p05, p95, n, disturbed, invocations) VALUES (15, 5, 3, 'item_rate', 'item/s', 'higher', 'time', 6.38700733744582682845e+07, 4.51520912106165215379e+07, 8.13168784156518220911e+08, 0.75, 'samples', 4.51520912106165215379e+07, 3.07396982913864314553e+08, 4.38111203820731341836e+08, 4.70238894270006939747e+07, 7.38238913078312158563e+08, 3, 0, 1);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (1, 1, 0, 1, X'789C6360606098707B921D00063B023C', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (2, 1, 1, 1, X'789C63606060F8706C821D0007780285', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (3, 2, 0, 6, X'789C7357322DE89216B5BB643DFFE1E649127669F193E2F9EE25D931D77D12CBBC2D6267ECD36BF7B3D7D2CEDBE7238BE569113B00C89712B9', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (4, 2, 1, 6, X'789C013000CFFF188FB9F862BB143EA0FCAC5254B3143E001099EBBAE2543E75F3D60454B31F3E941D60492FA4343E62C90B41329F373E22C1147F', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (5, 4, 0, 1, X'789C63606060F010DA6F0700031A0158', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (6, 4, 1, 1, X'789C636060605873609F1D0006B20269', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (7, 5, 0, 3, X'789CAB3E32E3DE71B9EB76F67C0A9EDA5B36D8BD7E11383364FF233B0096AB0C23', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (8, 5, 1, 15, X'789C01780087FF40D403D82279B43E5E860243CC4BC03E27F236E71B4EC43E7D684418EBE6B03E0E4312ADED07B33E12A02FA9AFB3B03EF3B70FC2F0E6B13EF969A752E169B13E8AD0D8B27BA7B03E860A321F7F90B03E5CFA34E92115CB3EF4BC2C76AE8BC03E824C1A3B3DA6CC3E28605F98F619B13E3AD0FFF16F87F33E80443ABA', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (9, 7, 0, 1, X'789C63606060F8A038C50E00059101E4', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (10, 7, 1, 1, X'789C63606060483835C90E00054801FB', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (11, 8, 0, 3, X'789CB3BAB36CBFAE6EA09DA79EC2029F3B0E765757382D6F6874B103007F120A2B', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (12, 8, 1, 3, X'789C8B5F9A377BDA19573B768B881E854E4FBBD5FFEF66CB7288DA0100826B09B0', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (13, 10, 0, 1, X'789C63606060B8C67BD00E00054701E3', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (14, 10, 1, 1, X'789C6360606098A778C00E0004A101BE', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (15, 11, 0, 3, X'789CCBF1C8B43E2279CF4E8E55B96F7DE766BBDB3F7A1AACDC3FD901007D470ADF', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (16, 11, 1, 3, X'789CDBCE7970F536D76F76FC560F199A173CB19B2A96E76178E4911D00907B0B41', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (17, 13, 0, 1, X'789C63606060F8706C821D0007780285', NULL);
INSERT INTO sample (sample, metric, invocation, n, data, disturbed) VALUES (18, 14, 0, 3, X'789CFBE32CEED9AE206AF7564BA0F1D2F1703B43FE32AF2DE703EC0075260981', NULL);
INSERT INTO baseline (baseline, name, created) VALUES (1, 'main', 1795421770);
INSERT INTO baseline_run (baseline, run, position) VALUES (1, 1, 0);
INSERT INTO verdict (run, baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, threshold) VALUES (2, 'main', 'null/host:cpu/spin=0/time', 'unclear', 4.68225115560963534022e+00, 2.55604997251429288951e+00, 8.57709204434780581038e+00, 6.66666666666666629659e-01, NULL, 9.88726469790544570948e-01);
INSERT INTO verdict (run, baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, threshold) VALUES (2, 'main', 'null/host:cpu/spin=1000/time', 'unclear', 3.35988449229032193343e+00, 1.15896777722785482289e+00, 9.74041213512840897692e+00, 6.66666666666666629659e-01, NULL, 2.14733285108544880159e+00);
INSERT INTO watched (result, position, invocation, disturbed, canary, canary_worst, others, steal, frequency, device) VALUES (1, 0, 0, 0.25, 0.001, 1.5, 0.1, NULL, 2000000000.0, '');
INSERT INTO accepted (accepted, pattern, since, run, fingerprint, why, created) VALUES (1, '*spin=0/time', 1795421768, '20261123-081608', '659470b9cacf88e3', 'spins twice', 1795421770);
PRAGMA application_id = 1111838275;
PRAGMA user_version = 2;

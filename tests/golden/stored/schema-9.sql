PRAGMA foreign_keys = OFF;
CREATE VIEW outcome AS
    SELECT id, position, suite, backend, slug, status, reason, error, tolerance, method.text AS method, iterations, stopped,
           head.text AS head
    FROM result JOIN run USING (run) JOIN head USING (head) JOIN device USING (device)
         LEFT JOIN method ON method.method = result.method;
CREATE VIEW history AS
    SELECT id, started, commit_hash, fingerprint, key, metric_key.name AS name, unit, better, median, ci_lo, ci_hi, ci_level
    FROM metric JOIN metric_key USING (metric_key) JOIN run USING (run) JOIN host USING (host);
CREATE VIEW runs AS
    SELECT id AS run, strftime('%Y-%m-%d %H:%M:%S', started, 'unixepoch') AS started_utc,
           strftime('%Y-%m-%d %H:%M:%S', finished, 'unixepoch') AS finished_utc, finished - started AS duration_seconds,
           host.name AS host, fingerprint, commit_hash, branch, dirty, preset, suites, results, not_ok, interrupted, aside
    FROM run JOIN host USING (host);
CREATE VIEW results AS
    SELECT id AS run, strftime('%Y-%m-%d %H:%M:%S', started, 'unixepoch') AS started_utc,
           suite || '/' || backend || ':' || slug || '/' ||
               coalesce((SELECT group_concat(key || '=' || value, ',') FROM json_each(text, '$.case')), '') AS case_key,
           suite, backend, slug AS device, (SELECT value FROM json_each(text) WHERE key = 'case') AS parameters, status, reason,
           error AS check_error, tolerance AS check_tolerance, iterations, stopped,
           (SELECT value FROM json_each(text, '$.work') WHERE key = 'flops') AS work_flops,
           (SELECT value FROM json_each(text, '$.work') WHERE key = 'bytes') AS work_bytes,
           (SELECT value FROM json_each(text, '$.work') WHERE key = 'items') AS work_items, aside
    FROM result JOIN head USING (head) JOIN device USING (device) JOIN run USING (run);
CREATE VIEW measurements AS
    SELECT id AS run, strftime('%Y-%m-%d %H:%M:%S', started, 'unixepoch') AS started_utc, host.name AS host, commit_hash, branch,
           key, substr(key, 1, length(key) - length(metric_key.name) - 1) AS case_key, metric_key.name AS metric, unit, better,
           derived_from, median, ci_lo, ci_hi, ci_level, CASE unit WHEN 's' THEN median END AS median_seconds,
           CASE unit WHEN 's' THEN ci_lo END AS ci_lo_seconds, CASE unit WHEN 's' THEN ci_hi END AS ci_hi_seconds,
           disturbed, aside
    FROM metric JOIN metric_key USING (metric_key) JOIN run USING (run) JOIN host USING (host);
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
, aside TEXT NOT NULL DEFAULT '', anchor TEXT NOT NULL DEFAULT '', results INTEGER NOT NULL DEFAULT 0, not_ok INTEGER NOT NULL DEFAULT 0, suites TEXT NOT NULL DEFAULT '') STRICT;
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
    mde        REAL, threshold REAL, ci_level REAL, reason TEXT, owner TEXT,
    PRIMARY KEY (run, baseline, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE accepted (
    accepted    INTEGER PRIMARY KEY,
    pattern     TEXT NOT NULL,
    since       INTEGER NOT NULL,   -- start of the first run that counts
    run         TEXT NOT NULL,      -- its id
    fingerprint TEXT NOT NULL,      -- of the host that it holds for; '': of all
    why         TEXT NOT NULL,
    created     INTEGER NOT NULL, removal INTEGER NOT NULL DEFAULT 0,
    UNIQUE (pattern, since, fingerprint)
) STRICT;
CREATE TABLE tuning (
    tuning      INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,      -- of the host
    backend     TEXT NOT NULL,
    device      TEXT NOT NULL,      -- slug
    driver      TEXT NOT NULL,      -- the device's, with its version
    name        TEXT NOT NULL,      -- of the tunable
    value       INTEGER NOT NULL,
    base        INTEGER NOT NULL,   -- the value that it was measured against
    step        REAL,               -- ratio over the base, with its interval
    step_lo     REAL,
    step_hi     REAL,
    ratio       REAL,               -- ratio over the default, with its interval
    lo          REAL,
    hi          REAL,
    chosen      INTEGER NOT NULL,   -- 1: it became the current value
    run         TEXT NOT NULL,      -- the id of the run that measured it
    created     INTEGER NOT NULL,
    UNIQUE (fingerprint, backend, device, driver, name, value)
) STRICT;
CREATE TABLE alarm (
    alarm       INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,      -- of the host
    track       TEXT NOT NULL,
    first_bad   TEXT NOT NULL,      -- id of the run
    last_good   TEXT NOT NULL,      -- id of the run before it; '': not known
    bad_commit  TEXT NOT NULL,      -- of the first bad run
    good_commit TEXT NOT NULL,      -- of the last good one; '': not known
    since       INTEGER NOT NULL,   -- start of the first bad run
    created     INTEGER NOT NULL,
    culprit     TEXT NOT NULL, told TEXT, cause TEXT,      -- the commit that 'bench bisect' found; '': none yet
    UNIQUE (fingerprint, track, first_bad)
) STRICT;
CREATE TABLE alarm_metric (
    alarm      INTEGER NOT NULL REFERENCES alarm ON DELETE CASCADE,
    key        TEXT NOT NULL,       -- of the metric
    unit       TEXT NOT NULL,       -- of its values
    state      TEXT NOT NULL,       -- open, accepted, recovered
    level      REAL,                -- the median before, in that unit
    ratio      REAL,                -- of the first bad run, with its interval
    lo         REAL,
    hi         REAL,
    last_run   TEXT NOT NULL,       -- the last run that was judged, and its ratio
    last_ratio REAL,
    last_lo    REAL,
    last_hi    REAL,
    nights     INTEGER NOT NULL,    -- runs that were judged, the first bad one among them
    closed_run TEXT NOT NULL,       -- with which it recovered or was accepted; '': open
    closed     INTEGER,             -- start of that run, from which on runs teach again; NULL: open
    why        TEXT NOT NULL, ci_level REAL, last_ci_level REAL,       -- why it was accepted
    PRIMARY KEY (alarm, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE anchor (
    anchor      INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,      -- of the host
    track       TEXT NOT NULL,
    run         TEXT NOT NULL,      -- id of the run that measured it
    content     TEXT NOT NULL,      -- of what is kept: the name of its folder
    commit_hash TEXT NOT NULL,      -- that it was built from; '': not known
    why         TEXT NOT NULL,      -- why it became the anchor
    created     INTEGER NOT NULL
) STRICT;
CREATE TABLE anchor_level (
    anchor INTEGER NOT NULL REFERENCES anchor ON DELETE CASCADE,
    key    TEXT NOT NULL,           -- of the metric
    shift  REAL NOT NULL,           -- logarithm of the anchor's time over the level
    error  REAL NOT NULL,           -- its standard error
    chain  REAL NOT NULL,           -- logarithm of the anchor's time over that of the track's first anchor
    PRIMARY KEY (anchor, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE head (
    head   INTEGER PRIMARY KEY,
    suite  TEXT NOT NULL,
    device INTEGER NOT NULL REFERENCES device,
    text   TEXT NOT NULL UNIQUE     -- the event "case" of samples.jsonl with index 0: parameters, work, notes
) STRICT;
CREATE TABLE method (
    method INTEGER PRIMARY KEY,
    text   TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE result (
    result     INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    head       INTEGER NOT NULL REFERENCES head,
    status     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    error      REAL,                -- of the worst check
    tolerance  REAL,
    method     INTEGER REFERENCES method, -- NULL: not checked
    iterations INTEGER NOT NULL,
    stopped    TEXT NOT NULL,
    samples    BLOB,                -- of its measured metrics, packed (docs/file-formats.md); NULL: it has none
    watched    BLOB,                -- how the machine was in each invocation, packed; NULL: nothing watched
    UNIQUE (run, position)
) STRICT;
CREATE TABLE metric_key (
    metric_key   INTEGER PRIMARY KEY,
    key          TEXT NOT NULL,     -- suite/backend:device/k=v,k=v/metric
    name         TEXT NOT NULL,
    unit         TEXT NOT NULL,
    better       TEXT NOT NULL,     -- lower, higher, none
    derived_from TEXT NOT NULL,     -- '': measured
    UNIQUE (key, unit, better, derived_from)
) STRICT;
CREATE TABLE metric (
    run         INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    metric_key  INTEGER NOT NULL REFERENCES metric_key,
    median      REAL,
    ci_lo       REAL,
    ci_hi       REAL,
    disturbed   INTEGER NOT NULL, ci_level REAL,   -- 1: all its invocations were
    PRIMARY KEY (run, metric_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE digest (
    kind     TEXT NOT NULL,         -- run, verdicts; hosts, devices, baselines, accepted, tuning, alarms, anchors
    id       TEXT NOT NULL,         -- of the run; '': a table's
    baseline TEXT NOT NULL,         -- as it was named; '': not of verdicts
    digest   INTEGER NOT NULL,      -- FNV-1a, 64 bits
    PRIMARY KEY (kind, id, baseline)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_by_time ON run (started, length(id), id);
CREATE INDEX baseline_run_by_run ON baseline_run (run);
INSERT INTO host (host, fingerprint, name) VALUES (1, '659470b9cacf88e3', 'vm');
INSERT INTO device (device, backend, slug, name) VALUES (1, 'host', 'cpu', '');
INSERT INTO run (run, id, started, finished, interrupted, preset, commit_hash, branch, dirty, host, folder, head, aside, anchor, results, not_ok, suites) VALUES (1, '20261123-081606', 1795421766, 1795421766, 0, 'nightly', '', '', 0, 1, '/bench/runs/20261123-081606', '{"event":"run","schema":"bench-samples/1","run":{"id":"20261123-081606","started":1795421766,"finished":1795421766,"interrupted":false,"command":"bench run --suite null --set spin=0,1000 --invocations 2 --budget 0.05s --watch no","preset":"nightly","labels":{},"budget_seconds":0.05,"precision":0.01,"invocations":2,"seed":"1","selection":{"suites":["null"],"targets":["host:cpu"],"backends":"","filter":"","sets":["spin=0,1000"]}},"git":null,"host":{"cpu":"AMD EPYC","name":"vm","kernel":"Linux 6.18.44-fc-v509 x86_64","os":"Debian GNU/Linux 12 (bookworm)","microcode":"0x1000065","huge_pages":"always [madvise] never","clocksource":"tsc","load_1min":"13.51","cores":"2","hardware_threads":"2","threads":"2","l1_bytes":"49152","l2_bytes":"1048576","l3_bytes":"33554432","memory_bytes":"25276518400","fingerprint":"659470b9cacf88e3","clock_tick_ns":"20","clock_cost_ns":"21.9","version":"0.1.0","build_commit":"64dc50cd6cc1d52f0cef346f9241b1f7911d3a35-dirty","build_type":"Debug","compiler":"GNU 12.2.0","flags":"-g","lib.glibc":"2.36","lib.sqlite":"3.40.1","lib.zlib":"1.2.13","executable":"e1183cc16c972e28","pin":"yes","cache":"hot","shuffle":"yes","watch":"no","env.OMP_PROC_BIND":"true","env.OMP_PLACES":"threads","env.GOMP_SPINCOUNT":"2000","env.OPENBLAS_THREAD_TIMEOUT":"20","env.OPENBLAS_L2_SIZE":"512","env.OPENBLAS_CORETYPE":"Haswell","env":"OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT OPENBLAS_THREAD_TIMEOUT POCL_AFFINITY OMP_NUM_THREADS OMP_DYNAMIC OMP_SCHEDULE GOMP_CPU_AFFINITY OPENBLAS_NUM_THREADS GOTO_NUM_THREADS POCL_MAX_PTHREAD_COUNT OPENBLAS_CORETYPE OPENBLAS_L2_SIZE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA ONEDNN_DEFAULT_FPMATH_MODE DNNL_DEFAULT_FPMATH_MODE POCL_WORK_GROUP_METHOD BENCH_OPENCL_OPTIONS NVIDIA_TF32_OVERRIDE CUDA_VISIBLE_DEVICES OCL_ICD_VENDORS GLIBC_TUNABLES LD_LIBRARY_PATH LD_PRELOAD"},"devices":[]}', '', '', 2, 0, 'null');
INSERT INTO run (run, id, started, finished, interrupted, preset, commit_hash, branch, dirty, host, folder, head, aside, anchor, results, not_ok, suites) VALUES (2, '20261123-081608', 1795421768, 1795421768, 0, 'nightly', '', '', 0, 1, '/bench/runs/20261123-081608', '{"event":"run","schema":"bench-samples/1","run":{"id":"20261123-081608","started":1795421768,"finished":1795421768,"interrupted":false,"command":"bench run --suite null --set spin=0,1000 --invocations 2 --budget 0.05s --watch no","preset":"nightly","labels":{},"budget_seconds":0.05,"precision":0.01,"invocations":2,"seed":"1","selection":{"suites":["null"],"targets":["host:cpu"],"backends":"","filter":"","sets":["spin=0,1000"]}},"git":null,"host":{"cpu":"AMD EPYC","name":"vm","kernel":"Linux 6.18.44-fc-v509 x86_64","os":"Debian GNU/Linux 12 (bookworm)","microcode":"0x1000065","huge_pages":"always [madvise] never","clocksource":"tsc","load_1min":"13.47","cores":"2","hardware_threads":"2","threads":"2","l1_bytes":"49152","l2_bytes":"1048576","l3_bytes":"33554432","memory_bytes":"25276518400","fingerprint":"659470b9cacf88e3","clock_tick_ns":"20","clock_cost_ns":"22.1","version":"0.1.0","build_commit":"64dc50cd6cc1d52f0cef346f9241b1f7911d3a35-dirty","build_type":"Debug","compiler":"GNU 12.2.0","flags":"-g","lib.glibc":"2.36","lib.sqlite":"3.40.1","lib.zlib":"1.2.13","executable":"e1183cc16c972e28","pin":"yes","cache":"hot","shuffle":"yes","watch":"no","env.OMP_PROC_BIND":"true","env.OMP_PLACES":"threads","env.GOMP_SPINCOUNT":"2000","env.OPENBLAS_THREAD_TIMEOUT":"20","env.OPENBLAS_L2_SIZE":"512","env.OPENBLAS_CORETYPE":"Haswell","env":"OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT OPENBLAS_THREAD_TIMEOUT POCL_AFFINITY OMP_NUM_THREADS OMP_DYNAMIC OMP_SCHEDULE GOMP_CPU_AFFINITY OPENBLAS_NUM_THREADS GOTO_NUM_THREADS POCL_MAX_PTHREAD_COUNT OPENBLAS_CORETYPE OPENBLAS_L2_SIZE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA ONEDNN_DEFAULT_FPMATH_MODE DNNL_DEFAULT_FPMATH_MODE POCL_WORK_GROUP_METHOD BENCH_OPENCL_OPTIONS NVIDIA_TF32_OVERRIDE CUDA_VISIBLE_DEVICES OCL_ICD_VENDORS GLIBC_TUNABLES LD_LIBRARY_PATH LD_PRELOAD"},"devices":[]}', '', '', 2, 0, 'null');
INSERT INTO run (run, id, started, finished, interrupted, preset, commit_hash, branch, dirty, host, folder, head, aside, anchor, results, not_ok, suites) VALUES (3, '20261123-081609', 1795421769, 1795421770, 0, 'nightly', '', '', 0, 1, '/bench/runs/20261123-081609', '{"event":"run","schema":"bench-samples/1","run":{"id":"20261123-081609","started":1795421769,"finished":1795421770,"interrupted":false,"command":"bench run --suite null --set spin=0 --invocations 1 --budget 0.05s --watch no --label aside=power","preset":"nightly","labels":{"aside":"power"},"budget_seconds":0.05,"precision":0.01,"invocations":1,"seed":"1","selection":{"suites":["null"],"targets":["host:cpu"],"backends":"","filter":"","sets":["spin=0"]}},"git":null,"host":{"cpu":"AMD EPYC","name":"vm","kernel":"Linux 6.18.44-fc-v509 x86_64","os":"Debian GNU/Linux 12 (bookworm)","microcode":"0x1000065","huge_pages":"always [madvise] never","clocksource":"tsc","load_1min":"13.47","cores":"2","hardware_threads":"2","threads":"2","l1_bytes":"49152","l2_bytes":"1048576","l3_bytes":"33554432","memory_bytes":"25276518400","fingerprint":"659470b9cacf88e3","clock_tick_ns":"20","clock_cost_ns":"21.6","version":"0.1.0","build_commit":"64dc50cd6cc1d52f0cef346f9241b1f7911d3a35-dirty","build_type":"Debug","compiler":"GNU 12.2.0","flags":"-g","lib.glibc":"2.36","lib.sqlite":"3.40.1","lib.zlib":"1.2.13","executable":"e1183cc16c972e28","pin":"yes","cache":"hot","shuffle":"yes","watch":"no","env.OMP_PROC_BIND":"true","env.OMP_PLACES":"threads","env.GOMP_SPINCOUNT":"2000","env.OPENBLAS_THREAD_TIMEOUT":"20","env.OPENBLAS_L2_SIZE":"512","env.OPENBLAS_CORETYPE":"Haswell","env":"OMP_PROC_BIND OMP_PLACES OMP_WAIT_POLICY GOMP_SPINCOUNT OPENBLAS_THREAD_TIMEOUT POCL_AFFINITY OMP_NUM_THREADS OMP_DYNAMIC OMP_SCHEDULE GOMP_CPU_AFFINITY OPENBLAS_NUM_THREADS GOTO_NUM_THREADS POCL_MAX_PTHREAD_COUNT OPENBLAS_CORETYPE OPENBLAS_L2_SIZE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA ONEDNN_DEFAULT_FPMATH_MODE DNNL_DEFAULT_FPMATH_MODE POCL_WORK_GROUP_METHOD BENCH_OPENCL_OPTIONS NVIDIA_TF32_OVERRIDE CUDA_VISIBLE_DEVICES OCL_ICD_VENDORS GLIBC_TUNABLES LD_LIBRARY_PATH LD_PRELOAD"},"devices":[]}', 'power', '', 1, 0, 'null');
INSERT INTO baseline (baseline, name, created) VALUES (1, 'main', 1795421770);
INSERT INTO baseline_run (baseline, run, position) VALUES (1, 1, 0);
INSERT INTO verdict (run, baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, threshold, ci_level, reason, owner) VALUES (2, 'main', 'null/host:cpu/spin=0/time', 'new', NULL, NULL, NULL, NULL, NULL, 0.05, NULL, 'a shift was accepted on 2026-11-23 08:16 UTC (spins twice): what was measured before is no baseline any more', '@us/timers');
INSERT INTO verdict (run, baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, threshold, ci_level, reason, owner) VALUES (2, 'main', 'null/host:cpu/spin=1000/time', 'unclear', 3.35988449229032193343e+00, 1.15896777722785482289e+00, 9.74041213512840897692e+00, 3.33333333333333314829e-01, NULL, 2.09629661105234887941e+00, 6.66666666666666740681e-01, '2 invocations a side cannot show p <= 0.01 over 1 metric; 5 a side could, or a baseline of 10 such runs (it has 1)', '@us/timers');
INSERT INTO accepted (accepted, pattern, since, run, fingerprint, why, created, removal) VALUES (1, '*spin=0/time', 1795421768, '20261123-081608', '659470b9cacf88e3', 'spins twice', 1795421770, 0);
INSERT INTO tuning (tuning, fingerprint, backend, device, driver, name, value, base, step, step_lo, step_hi, ratio, lo, hi, chosen, run, created) VALUES (1, '659470b9cacf88e3', 'opencl', 'gpu', '1', 'gemm.tile', 64, 32, 0.9, 0.8, 0.95, 0.9, 0.8, 0.95, 1, 'x', 1795421338);
INSERT INTO alarm (alarm, fingerprint, track, first_bad, last_good, bad_commit, good_commit, since, created, culprit, told, cause) VALUES (1, '659470b9cacf88e3', 'preset=nightly', '20261123-081609', '20261123-081606', '', '', 1795421338, 1795421338, '', NULL, NULL);
INSERT INTO alarm_metric (alarm, key, unit, state, level, ratio, lo, hi, last_run, last_ratio, last_lo, last_hi, nights, closed_run, closed, why, ci_level, last_ci_level) VALUES (1, 'null/host:cpu/spin=1000/time', 's', 'open', 3.0e-06, 2.0, 1.5, 2.5, '20261123-081609', 2.0, 1.5, 2.5, 1, '', NULL, '', NULL, NULL);
INSERT INTO anchor (anchor, fingerprint, track, run, content, commit_hash, why, created) VALUES (1, '659470b9cacf88e3', 'preset=nightly', '20261123-081606', '0123456789abcdef', '', 'the first night', 1795421338);
INSERT INTO anchor_level (anchor, key, shift, error, chain) VALUES (1, 'null/host:cpu/spin=0/time', 0.01, 0.002, 0.01);
INSERT INTO anchor_level (anchor, key, shift, error, chain) VALUES (1, 'null/host:cpu/spin=1000/time', 0.01, 0.002, 0.01);
INSERT INTO head (head, suite, device, text) VALUES (1, 'null', 1, '{"event":"case","index":0,"suite":"null","backend":"host","device":"cpu","case":{"spin":"0"},"work":{"flops":0,"bytes":0,"items":1,"device_bytes":0,"largest_bytes":0,"host_bytes":0},"repeat":"bench run --suite null --set spin=0 --seed 1","notes":{}}');
INSERT INTO head (head, suite, device, text) VALUES (2, 'null', 1, '{"event":"case","index":0,"suite":"null","backend":"host","device":"cpu","case":{"spin":"1000"},"work":{"flops":0,"bytes":0,"items":1,"device_bytes":0,"largest_bytes":0,"host_bytes":0},"repeat":"bench run --suite null --set spin=1000 --seed 1","notes":{}}');
INSERT INTO method (method, text) VALUES (1, 'iterations and steps counted');
INSERT INTO result (result, run, position, head, status, reason, error, tolerance, method, iterations, stopped, samples, watched) VALUES (1, 1, 0, 1, 'ok', '', 0.0, 0.0, 1, 1000000, 'budget', X'010200010024F2B6C93E000180C9EBAD029293879B090202000693DCA83496D59501AE8D0A0000FFFFFF1AE6710300000000FA50FBFF43D1B191E002000695C0843DE4D4CA043769DD6E9CBCFD7FD2F07EAB5A1A000060D85201', X'0740023240030240011E4001020033FE3F400080D0ACF30E');
INSERT INTO result (result, run, position, head, status, reason, error, tolerance, method, iterations, stopped, samples, watched) VALUES (2, 1, 1, 2, 'ok', '', 0.0, 0.0, 1, 1858, 'budget', X'0402000100239289BF7D00010022D6C0FDFA01050200038DFF1286E5E30C00C0FFFF7F5DC55300000000C0FFFFBF4B903F0000000000000F94C20E92A381029CBF6922D5FDB0DC517DCC0100001BDFE7157A64DD952C049460857F00BE3679C2FFA75315E20AEDFFFFDFD2F67B0000000000', NULL);
INSERT INTO result (result, run, position, head, status, reason, error, tolerance, method, iterations, stopped, samples, watched) VALUES (3, 2, 0, 1, 'ok', '', 0.0, 0.0, 1, 1000000, 'budget', X'010200010024BE88CA3E00010025A6D9A41F0202000391D69D28A2AA8006FFFFFF5CB5810000000000FFFFFD9500000000038CC0843DEE91D70900E0FFFF9F27A30600000000E0FFFF3F9A0D220000000000', NULL);
INSERT INTO result (result, run, position, head, status, reason, error, tolerance, method, iterations, stopped, samples, watched) VALUES (4, 2, 1, 2, 'ok', '', 0.0, 0.0, 1, 2382, 'budget', X'040200010021D69B84F603000180F4CF68F6C3D1C718050200038E871380D6D8100080FFFFFF78BEDF0000000080FFFF7F3FA67D0100000000000392CE1298F9AB16FFFFFF8C0C3D03000000000000F8FFD7E707', NULL);
INSERT INTO result (result, run, position, head, status, reason, error, tolerance, method, iterations, stopped, samples, watched) VALUES (5, 3, 0, 1, 'ok', '', 0.0, 0.0, 1, 1944894, 'budget', X'0101000180C9EBAD029293879B09020100038EBEDA76C691851DFFFFFF3F4B580300000000FFFFFF123D8101000000000000', NULL);
INSERT INTO metric_key (metric_key, key, name, unit, better, derived_from) VALUES (1, 'null/host:cpu/spin=0/first_call', 'first_call', 's', 'none', '');
INSERT INTO metric_key (metric_key, key, name, unit, better, derived_from) VALUES (2, 'null/host:cpu/spin=0/time', 'time', 's', 'lower', '');
INSERT INTO metric_key (metric_key, key, name, unit, better, derived_from) VALUES (3, 'null/host:cpu/spin=0/item_rate', 'item_rate', 'item/s', 'higher', 'time');
INSERT INTO metric_key (metric_key, key, name, unit, better, derived_from) VALUES (4, 'null/host:cpu/spin=1000/first_call', 'first_call', 's', 'none', '');
INSERT INTO metric_key (metric_key, key, name, unit, better, derived_from) VALUES (5, 'null/host:cpu/spin=1000/time', 'time', 's', 'lower', '');
INSERT INTO metric_key (metric_key, key, name, unit, better, derived_from) VALUES (6, 'null/host:cpu/spin=1000/item_rate', 'item_rate', 'item/s', 'higher', 'time');
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (1, 1, 2.65499693341553211212e-07, 2.49998265644535422325e-07, 2.81001121038571e-07, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (1, 2, 2.32752827789962455544e-09, 1.32948155579924862925e-09, 3.32557500000000048163e-09, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (1, 3, 5.65768206631785273551e+08, 3.7500953703456145526e+08, 7.56526876229009151474e+08, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (1, 4, 1.84249984158668667078e-06, 1.8329992599319666624e-06, 1.85200042324140667915e-06, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (1, 5, 3.32331417400114050193e-06, 1.13433423035522080134e-06, 5.51229411764706e-06, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (1, 6, 5.31493527405232889584e+05, 1.81412671141512517342e+05, 8.81574383668953087157e+05, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (2, 1, 2.89999661617912352085e-07, 2.80000676866620779037e-07, 2.99998646369203925132e-07, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (2, 2, 9.84991025816117e-09, 9.54878951632233886458e-09, 1.01510310000000009882e-08, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (2, 3, 1.01618738516170531514e+08, 9.85121609814805835464e+07, 1.0472531605086046457e+08, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (2, 4, 1.97800181922502815723e-06, 1.92300285561941564083e-06, 2.03300078283064067363e-06, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (2, 5, 8.50613694446768e-06, 7.17655432554325500588e-06, 9.83571956339210810935e-06, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (2, 6, 1.20506439797863582497e+05, 1.01670243194197333646e+05, 1.39342636401529831349e+05, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (3, 1, 2.49998265644535422325e-07, 2.49998265644535422325e-07, 2.49998265644535422325e-07, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (3, 2, 1.56567848941896071968e-08, 1.22975699446859317465e-09, 2.21473684427017644899e-08, 0, NULL);
INSERT INTO metric (run, metric_key, median, ci_lo, ci_hi, disturbed, ci_level) VALUES (3, 3, 6.38700733744582682845e+07, 4.51520912106165215379e+07, 8.13168784156518220911e+08, 0, NULL);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('accepted', '', '', -5973364792303630850);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('alarms', '', '', -8654175722741089725);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('anchors', '', '', -1188868286339861620);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('baselines', '', '', 6737627226634852512);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('devices', '', '', -5385129515971859529);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('hosts', '', '', 8666384772081366517);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('run', '20261123-081606', '', 4587046545032850774);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('run', '20261123-081608', '', 243672245419821942);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('run', '20261123-081609', '', -3675910058849186069);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('tuning', '', '', 1182667181199577947);
INSERT INTO digest (kind, id, baseline, digest) VALUES ('verdicts', '20261123-081608', 'main', 6112421851640627041);
PRAGMA application_id = 1111838275;
PRAGMA user_version = 9;

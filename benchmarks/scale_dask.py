"""How fits to a frame of Dask scale from one worker to two: 10 columns of numbers, 10 of few values, 3 classes.

    python benchmarks/scale_dask.py --cases 2000000 --repeats 3

The frame is read from Parquet files by workers that are processes of one thread each. For every learner and number of
workers it prints the seconds of the best run, of the clock and of the CPU (workers; this process, which has the
scheduler and the client), what the busiest worker did in tasks, what workers have sent, and how many tasks and
passes there were; then how many times as fast two workers are as one. Where others used the machine in the meantime,
seconds of the clock tell little, and those of the CPU more. `--profile` adds the seconds by kind of task. A fit to
a few cases shows what a pass costs besides its work.

What a second worker can gain depends on the machine: two processes share caches and memory, and here the scheduler and
the client as well take processor time. So it prints last how much more two processes get done than one if each fits
the same learner in memory by itself, with nothing between them.

`--share 0.5` gives each worker half of one processor, by a control group that the kernel keeps, and leaves another to
the scheduler and the client. So workers take turns, and share neither caches nor memory at the same time, as if each
had a machine of its own with half the speed. What a second worker gains then is what the fit lets it gain; only their
network is still the memory of this machine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from limited import kept_to, share_of_processor
from mixed import CONTINUOUS, N_VALUES, mixed_table

import ctree

LEARNERS = {
    "bic-stop": ctree.ProbabilityTreeClassifier(approach="bic-stop"),
    "c4.5": ctree.C45Classifier(arithmetic="double"),
}
NAMES = [*(f"x{j}" for j in range(CONTINUOUS)), *(f"d{j}" for j in range(len(N_VALUES)))]


def write_files(folder: Path, n: int, n_files: int) -> None:
    """Files of as many cases each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir()
    for number, size in enumerate(np.diff(np.linspace(0, n, n_files + 1).astype(int)).tolist()):
        X, y = mixed_table(size, seed=number)
        columns = {f"x{j}": X[:, j] for j in range(CONTINUOUS)}
        for j, k in enumerate(N_VALUES):
            values = pa.array([f"v{v}" for v in range(k)])
            codes = pa.array(X[:, CONTINUOUS + j].astype(np.int8))
            columns[f"d{j}"] = pa.DictionaryArray.from_arrays(codes, values)
        columns["label"] = y.astype(np.int8)
        pq.write_table(pa.table(columns), folder / f"{number:04}.parquet", row_group_size=size or 1)


@dataclass
class Run:
    """What a fit took, in seconds."""

    clock: float
    scan: float
    workers: list[float]
    here: float
    busy: float
    sent: int
    tasks: int
    passes: int
    leaves: int
    others: float
    kinds: Counter[str] = field(default_factory=Counter)


@contextmanager
def cluster_of(n_workers: int, share: float | None = None) -> Iterator[tuple[Any, list[psutil.Process]]]:
    """A client of new workers, each with a share of a processor, and their processes."""
    import distributed

    with (
        distributed.LocalCluster(
            processes=True, n_workers=n_workers, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        ExitStack() as groups,
    ):
        workers = [psutil.Process(worker.pid) for worker in cluster.workers.values()]
        if share is not None:
            first, *others = sorted(os.sched_getaffinity(0))
            groups.enter_context(kept_to(os.getpid(), set(others)))
            for worker in workers:
                groups.enter_context(kept_to(worker.pid, {first}))
                groups.enter_context(share_of_processor(worker.pid, share))
        yield client, workers


def cpu_of_one(process: psutil.Process) -> float:
    """Seconds of CPU that a process has used."""
    return float(sum(process.cpu_times()[:2]))


def cpu_of(process: psutil.Process) -> float:
    """Seconds of CPU that a process and those below it have used."""
    return sum(map(cpu_of_one, [process, *process.children(recursive=True)]))


def in_all() -> float:
    """Seconds of CPU that the machine has used."""
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice)


def outgoing(dask_worker: Any) -> int:
    """Bytes that a worker has sent to others and to the client."""
    return int(dask_worker.transfer_outgoing_bytes_total)


def fitted(client: Any, workers: Sequence[psutil.Process], folder: Path, learner: Any, memory: str) -> Run:
    """Scan the files and fit, and see who did what."""
    import dask.dataframe as dd
    import distributed

    here = psutil.Process()
    model = type(learner)(**learner.get_params())
    sent = client.run(outgoing)
    before, mine, whole = [cpu_of(one) for one in workers], cpu_of_one(here), in_all()
    with distributed.get_task_stream(client) as stream:
        start = time.perf_counter()
        frame = dd.read_parquet(folder)
        with ctree.scan_dask(frame, "label", memory=memory) as cases:
            scanned = time.perf_counter()
            cases.collects = False
            model.fit(cases)
            clock = time.perf_counter() - start
            passes = len(cases.passes)
    kinds, busy = Counter[str](), Counter[str]()
    for task in stream.data:
        for one in task["startstops"]:
            name = task["key"] if isinstance(task["key"], str) else task["key"][0]
            kinds[f"{one['action']} {name.rsplit('-', 5)[0]}"] += one["stop"] - one["start"]
            busy[task["worker"]] += one["stop"] - one["start"]
    after = client.run(outgoing)
    cpu = [cpu_of(one) - was for one, was in zip(workers, before, strict=True)]
    mine = cpu_of_one(here) - mine
    return Run(
        clock,
        scanned - start,
        cpu,
        mine,
        max(busy.values()),
        sum(after[worker] - sent.get(worker, 0) for worker in after),
        len(stream.data),
        passes,
        model.tree_.n_leaves,
        in_all() - whole - sum(cpu) - mine,
        kinds,
    )


def tell(what: str, run: Run) -> None:
    """Print a run in a line."""
    workers = " + ".join(f"{one:.1f}" for one in run.workers)
    print(
        f"{what:22} {run.clock:6.2f} s (scan {run.scan:.2f})  CPU {workers} s, here {run.here:.1f} s, "
        f"others {run.others:.1f} s  busiest {run.busy:.1f} s  {run.sent / 1e6:7.1f} MB sent  {run.tasks} tasks  "
        f"{run.passes} passes  {run.leaves} leaves",
        flush=True,
    )


def fit_by_itself(name: str, path: Path, begin: Any, told: Any) -> None:
    """Fit in memory, several times, once all have read their cases; tell how many seconds that took."""
    with ctree.scan_parquet(path, "label", memory="4GB", n_jobs=1) as cases:
        data = cases.collect()
    model = type(LEARNERS[name])(**{**LEARNERS[name].get_params(), "n_jobs": 1})
    begin.wait()
    start = time.perf_counter()
    for _ in range(5):
        model.fit(data)
    told.put(time.perf_counter() - start)


def gain_by_itself(name: str, path: Path) -> float:
    """How many times as much two processes get done as one, with nothing between them."""
    import multiprocessing

    new = multiprocessing.get_context("spawn")
    seconds = []
    for n in (1, 2):
        begin, told = new.Barrier(n), new.Queue()
        processes = [new.Process(target=fit_by_itself, args=(name, path, begin, told)) for _ in range(n)]
        for process in processes:
            process.start()
        seconds.append(max(told.get() for _ in processes))
        for process in processes:
            process.join()
    return 2 * seconds[0] / seconds[1]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--cases", type=int, default=2_000_000)
    options.add_argument("--files", type=int, default=16)
    options.add_argument("--memory", default="256MB")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    options.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    options.add_argument("--share", type=float, metavar="X", help="of a processor for each worker, as in 0.5")
    options.add_argument("--profile", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        write_files(large := Path(place, "large"), given.cases, given.files)
        write_files(small := Path(place, "small"), 20_000, given.files)
        best: dict[tuple[str, int], Run] = {}
        for _ in range(given.repeats):
            for n_workers in given.workers:
                with cluster_of(n_workers, given.share) as (client, workers):
                    fitted(client, workers, small, LEARNERS["bic-stop"], "1MB")
                    for name in given.learners:
                        run = fitted(client, workers, large, LEARNERS[name], given.memory)
                        tell(f"{name}, {n_workers} worker(s)", run)
                        if (name, n_workers) not in best or run.clock < best[name, n_workers].clock:
                            best[name, n_workers] = run
                    few = fitted(client, workers, small, LEARNERS["bic-stop"], "1MB")
                    print(f"a pass over few cases: {(few.clock - few.scan) / max(1, few.passes):.3f} s")
        write_files(alone := Path(place, "alone"), 300_000, 1)
        gains = {name: gain_by_itself(name, alone / "0000.parquet") for name in given.learners}
    print("best of each")
    for (name, n_workers), run in best.items():
        tell(f"{name}, {n_workers} worker(s)", run)
        for kind, seconds in run.kinds.most_common(12) if given.profile else ():
            print(f"    {seconds:7.2f} s  {kind}")
    for name in given.learners:
        if {1, 2} <= set(given.workers):
            one, two = best[name, 1], best[name, 2]
            print(
                f"{name}: two workers are {one.clock / two.clock:.2f} times as fast as one by the clock, "
                f"{sum(one.workers) / max(two.workers):.2f} by the CPU of the busier one; "
                f"two processes by themselves get {gains[name]:.2f} times as much done"
            )


if __name__ == "__main__":
    main()

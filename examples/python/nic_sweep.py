#!/usr/bin/python3
"""How the job completion time depends on the bandwidth of the servers' NICs.

Usage: nic_sweep.py OUTPUT_FOLDER
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # no screen needed

import matplotlib.pyplot as plt
import mosim
import pandas as pd

GBPS = [1, 2, 5, 10, 25, 50, 100]
PLACEMENTS = ["load-balancing", "bin-packing"]


def demo_with_iterations() -> mosim.Trace:
    """The demo trace with the iterations that its durations mean at 5 Gbps, so that every cluster
    has the same work to do. A duration alone would mean more iterations on faster NICs."""
    frame = mosim.read_trace("bundled:traces/demo.csv").frame
    frame["num_iteration"] = mosim.run().jobs["iterations"]
    return mosim.Trace(frame)


def average_jct_h(trace: mosim.Trace, placement: str, gbps: int) -> float:
    nic = {"cluster.servers[0].nic": f"{gbps} Gbps"}
    result = mosim.run(trace=trace, placement=placement, overrides=nic)
    return float(result.summary["jct_s"]["avg"]) / 3600


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    trace = demo_with_iterations()
    cases = [(placement, gbps) for placement in PLACEMENTS for gbps in GBPS]
    # Threads are enough: a run lets others go on while it simulates.
    with ThreadPoolExecutor() as pool:
        hours = list(pool.map(lambda case: average_jct_h(trace, *case), cases))
    table = pd.DataFrame(cases, columns=["placement", "nic_gbps"]).assign(avg_jct_h=hours)
    table.to_csv(folder / "nic_sweep.csv", index=False)
    wide = table.pivot(index="nic_gbps", columns="placement", values="avg_jct_h")
    print(wide.to_string(float_format="%.2f"))

    axes = wide.plot(marker="o", logx=True, figsize=(6, 4), grid=True)
    axes.set(xlabel="NIC bandwidth (Gbps)", ylabel="average JCT (hours)", ylim=(0, None))
    axes.figure.savefig(folder / "nic_sweep.png", dpi=150, bbox_inches="tight")
    print(f"wrote {folder / 'nic_sweep.csv'} and {folder / 'nic_sweep.png'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

#!/usr/bin/python3
"""Runs one trace under three placements and plots the CDFs of the job completion times.

Usage: compare_policies.py OUTPUT_FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # no screen needed

import matplotlib.pyplot as plt
import mosim
import numpy as np

PLACEMENTS = ["load-balancing", "bin-packing", "consolidate"]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    runs = {placement: mosim.run(placement=placement) for placement in PLACEMENTS}
    measures = ["jct_s.avg", "jct_s.median", "jct_s.p99", "makespan_s", "mean_contention"]
    print(mosim.compare(runs).loc[measures].to_string(float_format="%.1f"))

    figure, axes = plt.subplots(figsize=(6, 4))
    for placement, result in runs.items():
        hours = np.sort(result.jobs["jct_s"].to_numpy()) / 3600
        share = np.arange(1, len(hours) + 1) / len(hours)
        axes.step(hours, share, where="post", label=placement)
    axes.set(xscale="log", xlabel="JCT (hours)", ylabel="share of jobs", ylim=(0, 1))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(folder / "jct_cdf.png", dpi=150, bbox_inches="tight")
    print(f"wrote {folder / 'jct_cdf.png'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))

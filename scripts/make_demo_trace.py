#!/usr/bin/python3
"""Writes data/traces/demo.csv: 120 synthetic jobs for the bundled scenario.

Shaped after what is published of shared GPU clusters (Jeon et al., ATC 2019): most jobs ask for at
most 8 GPUs, durations have a long tail, arrivals are Poisson. No row comes from a real trace.
Usage: scripts/make_demo_trace.py > data/traces/demo.csv
"""
import math
import random

MODELS = ["alexnet", "bert", "densenet100_k12", "densenet40_k12", "googlenet", "gpt2",
          "inception3", "resnet110", "resnet44", "resnet50", "vgg16", "whisper"]

rng = random.Random(2026)
time = 0.0
print("job_id,model,arrival_time,duration,gpu_workers,gpu_per_worker,cpu_per_gpu_worker")
for job in range(120):
    workers = rng.choices([1, 2, 4, 8], weights=[35, 25, 25, 15])[0]
    duration = min(math.exp(rng.gauss(math.log(1500), 1.2)), 40000)
    print(f"{job},{rng.choice(MODELS)},{time:.1f},{duration:.0f},{workers},1,5")
    time += rng.expovariate(1 / 480)

#!/usr/bin/env python3
"""Stands in for an ASTRA-sim analytical binary: reads the Chakra files of its folder, plays compute
and one-dimensional ring all-reduces in order, and prints what the tool prints. Appends a letter to
the file named by MOSIM_TEST_RUNS, so that a test can count its runs."""
import glob
import json
import math
import os
import re

COMPUTE = 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at : at + value], at + value
        yield tag >> 3, value


def read_node(message):
    node = {"id": 0, "type": 0, "after": [], "us": 0, "bytes": 0}
    for field, value in fields(message):
        if field == 1:
            node["id"] = value
        elif field == 3:
            node["type"] = value
        elif field == 5 and isinstance(value, bytes):
            at = 0
            while at < len(value):
                before, at = varint(value, at)
                node["after"].append(before)
        elif field == 5:
            node["after"].append(value)
        elif field == 7:
            node["us"] = value
        elif field == 10:
            attribute = dict(fields(value))
            if attribute[1] == b"comm_size":
                node["bytes"] = attribute[9]
    return node


def read_nodes(path):
    with open(path, "rb") as file:
        data = file.read()
    messages, at = [], 0
    while at < len(data):
        size, at = varint(data, at)
        messages.append(data[at : at + size])
        at += size
    return [read_node(message) for message in messages[1:]]  # the first is the metadata


def all_reduce_ns(size, ranks):
    network = open("network.yml", encoding="utf-8").read()
    bandwidth = float(re.search(r"bandwidth: *\[ *([^ ,\]]+)", network)[1]) * 2**30 / 1e9
    latency = float(re.search(r"latency: *\[ *([^ ,\]]+)", network)[1])
    system = json.load(open("system.json", encoding="utf-8"))
    splits, delay = system["preferred-dataset-splits"], system["endpoint-delay"]
    part = size / splits / ranks
    step = math.floor(2 * latency + part / bandwidth) + delay
    local = math.floor(part / system["local-mem-bw"])
    return splits * (2 * (ranks - 1) * step + delay + 3 * (ranks - 1) * local)


def main():
    if "MOSIM_TEST_RUNS" in os.environ:
        with open(os.environ["MOSIM_TEST_RUNS"], "a", encoding="utf-8") as file:
            file.write("x")
    ranks = len(glob.glob("et/dp.*.et"))
    end, busy, compute_end, network_end, sent = {}, 0, 0, 0, 0
    for node in read_nodes("et/dp.0.et"):
        start = max([end[before] for before in node["after"]], default=0)
        if node["type"] == COMPUTE:
            compute_end = end[node["id"]] = max(start, compute_end) + node["us"] * 1000
            busy += node["us"] * 1000
        else:
            takes = all_reduce_ns(node["bytes"], ranks)
            network_end = end[node["id"]] = max(start, network_end) + takes
            sent += takes
    wall = max(end.values())
    stamp = "[2026-01-01 00:00:00.000]"
    for rank in range(ranks):
        print(f"{stamp} [workload] [info] sys[{rank}] finished, {wall} cycles, "
              f"exposed communication {wall - busy} cycles.")
        for name, value in [("Wall time", wall), ("GPU time", busy), ("Comm time", sent),
                            ("Total compute-communication overlap", sent - (wall - busy))]:
            print(f"{stamp} [statistics] [info] sys[{rank}], {name}: {value}")


main()

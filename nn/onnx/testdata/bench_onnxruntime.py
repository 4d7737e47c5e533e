"""Compares the speed of latro's compiled networks with onnxruntime's on one thread.

usage: bench_onnxruntime.py [--latro PATH] [--nets 6x64,...] [--rulesets bell-8x8,...] [--batches 8,32]
                            [--rounds 3] [--seconds 1] [--json]

Needs numpy and onnxruntime. For each network, board and batch size it makes a network with random parameters
(latro net new), exports it (latro net export), and measures in turn, several rounds, the best of each counting:

    onnxruntime, fp32, one thread, all graph optimisations, inputs and outputs bound to fixed memory
    latro bench net

Both in positions a CPU-second: process time, so that other work on the machine does not count.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np
import onnxruntime as ort


def run(*args):
    env = dict(os.environ, GOMAXPROCS="1")
    return subprocess.run(args, check=True, capture_output=True, text=True, env=env).stdout


def session(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def onnxruntime_rate(net, batch, seconds):
    rng = np.random.default_rng(1)
    binding = net.io_binding()
    for i in net.get_inputs():
        shape = [batch] + list(i.shape[1:])
        # Planes are sparse zeros and ones; the time does not depend on the values.
        value = (rng.random(shape) < 0.2).astype(np.float32)
        binding.bind_ortvalue_input(i.name, ort.OrtValue.ortvalue_from_numpy(value))
    for o in net.get_outputs():
        value = np.zeros([batch] + list(o.shape[1:]), dtype=np.float32)
        binding.bind_ortvalue_output(o.name, ort.OrtValue.ortvalue_from_numpy(value))
    for _ in range(3):
        net.run_with_iobinding(binding)
    runs, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        net.run_with_iobinding(binding)
        runs += 1
    return runs * batch / (time.process_time() - began)


def latro_rate(latro, ruleset, preset, batch, seconds):
    out = run(latro, "bench", "net", "--ruleset", ruleset, "--nets", preset, "--batches", str(batch),
              "--time", "%gs" % seconds, "--json")
    rows = [r for r in json.loads(out)["inference"]
            if r["net"] == preset and r["batch"] == batch and r["implementation"] not in ("graph", "graph-stock", "purego")]
    # A program that gives no rate a CPU-second gives one by the clock: the same on a machine with nothing else to do.
    return max(r.get("positions_per_cpu_second") or r["positions_per_second"] for r in rows)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--latro", default="latro")
    p.add_argument("--nets", default="4x32,6x64,10x128")
    p.add_argument("--rulesets", default="bell-8x8,luductus,6x6-seega,11x16-seega")
    p.add_argument("--batches", default="1,8,32")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--json", action="store_true")
    a = p.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as d:
        for preset in a.nets.split(","):
            for ruleset in a.rulesets.split(","):
                net, model = os.path.join(d, "net.latro"), os.path.join(d, "net.onnx")
                made = json.loads(run(a.latro, "net", "new", "--ruleset", ruleset, "--net", preset, "--out", net, "--json"))
                run(a.latro, "net", "export", net, "--out", model)
                other = session(model)
                for batch in map(int, a.batches.split(",")):
                    ours, theirs = 0.0, 0.0
                    for _ in range(a.rounds):
                        theirs = max(theirs, onnxruntime_rate(other, batch, a.seconds))
                        ours = max(ours, latro_rate(a.latro, ruleset, preset, batch, a.seconds))
                    results.append({"net": preset, "board": made["board"], "batch": batch,
                                    "latro": round(ours), "onnxruntime": round(theirs), "ratio": round(ours / theirs, 2)})
                    if not a.json:
                        if len(results) == 1:
                            print("onnxruntime %s, positions a CPU-second" % ort.__version__)
                            print("%-8s %-6s %5s %10s %12s %6s" % ("net", "board", "batch", "latro", "onnxruntime", "ratio"))
                        r = results[-1]
                        print("%-8s %-6s %5d %10d %12d %6.2f" % tuple(r.values()), flush=True)
    if a.json:
        print(json.dumps({"onnxruntime": ort.__version__, "inference": results}, indent=2))


if __name__ == "__main__":
    main()

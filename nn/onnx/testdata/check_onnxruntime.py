"""Compares onnxruntime with the outputs that latro computed for the same inputs.

usage: check_onnxruntime.py CASES.json

CASES.json is a list of cases, each with
    model    path of an ONNX file
    batch    number of positions
    inputs   {name: {"file": raw little-endian float32, "shape": [...]}}
    outputs  likewise: what latro says
    metadata what the model's metadata must contain

Prints {"onnxruntime": version, "onnx": version, "cases": [{"model", "batch", "max_abs": {output: difference}}]}.
"""

import json
import sys

import numpy as np
import onnx
import onnxruntime as ort


def array(spec):
    return np.fromfile(spec["file"], dtype="<f4").reshape(spec["shape"])


def main():
    with open(sys.argv[1]) as f:
        cases = json.load(f)
    ort.set_default_logger_severity(3)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    sessions, results = {}, []
    for case in cases:
        path = case["model"]
        if path not in sessions:
            model = onnx.load(path)
            onnx.checker.check_model(model, full_check=True)
            metadata = {p.key: p.value for p in model.metadata_props}
            for key, value in case["metadata"].items():
                assert metadata.get(key) == value, (path, key, metadata.get(key), value)
            sessions[path] = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        session = sessions[path]
        names = [o.name for o in session.get_outputs()]
        assert set(names) == set(case["outputs"]), (path, names)
        got = session.run(names, {k: array(v) for k, v in case["inputs"].items()})
        worst = {}
        for name, value in zip(names, got):
            want = array(case["outputs"][name])
            assert value.shape == want.shape, (path, name, value.shape, want.shape)
            # A difference that is no number must fail: json has no NaN that Go would read.
            difference = float(np.max(np.abs(value - want)))
            assert np.isfinite(difference), (path, name)
            worst[name] = difference
        results.append({"model": path, "batch": case["batch"], "max_abs": worst})
    print(json.dumps({"onnxruntime": ort.__version__, "onnx": onnx.__version__, "cases": results}))


if __name__ == "__main__":
    main()

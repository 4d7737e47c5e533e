#!/usr/bin/env python3
"""Reads latro's data files with pyarrow and compares every value with JSON.

usage: read_shards.py DIR

DIR holds expect.json, written by the Go side:

    {"files": [{"path": "...", "format": "arrow" | "parquet", "metadata": {...},
                "columns": {"name": "arrow type", ...}, "rows": [{...}, ...]}]}

Rows are as latro's JSON export gives them: 64-bit integers are strings, byte
strings hexadecimal, NaN null. Exits 1 at the first difference.
"""

import json
import math
import os
import sys

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet


def read(path, form):
    if form == "parquet":
        return pyarrow.parquet.read_table(path)
    with pa.OSFile(path, "rb") as source, pa.ipc.open_stream(source) as reader:
        return reader.read_all()


def plain(value, kind):
    """Turns a value of pyarrow into what JSON has for it."""
    if value is None:
        raise ValueError("a null where none is allowed")
    if pa.types.is_list(kind):
        return [plain(v, kind.value_type) for v in value]
    if pa.types.is_binary(kind):
        return value.hex()
    if pa.types.is_uint64(kind):
        return str(value)
    if pa.types.is_floating(kind) and math.isnan(value):
        return None
    return value


def same(got, want, kind):
    if pa.types.is_list(kind):
        return len(got) == len(want) and all(same(g, w, kind.value_type) for g, w in zip(got, want))
    if pa.types.is_float32(kind) and got is not None and want is not None:
        # JSON has the shortest decimal of the float32, Python reads a double.
        return pa.scalar(want, pa.float32()).as_py() == got
    return got == want


def type_name(kind, form):
    """The name to compare: Parquet renames list items and lets them be null."""
    if form == "parquet":
        if isinstance(kind, str):
            return kind.replace("list<item: ", "list<").replace(" not null>", ">")
        if pa.types.is_list(kind):
            return f"list<{kind.value_type}>"
    return str(kind)


def check(directory, spec):
    path = os.path.join(directory, spec["path"])
    table = read(path, spec["format"])
    table.validate(full=True)
    metadata = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
    for key, value in spec["metadata"].items():
        if metadata.get(key) != value:
            raise ValueError(f"metadata {key!r} is {metadata.get(key)!r}, want {value!r}")
    types = {f.name: type_name(f.type, spec["format"]) for f in table.schema}
    if list(types) != list(spec["columns"]):
        raise ValueError(f"columns {list(types)}, want {list(spec['columns'])}")
    for name, kind in spec["columns"].items():
        kind = type_name(kind, spec["format"])
        if types[name] != kind:
            raise ValueError(f"column {name} is {types[name]}, want {kind}")
    if table.num_rows != len(spec["rows"]):
        raise ValueError(f"{table.num_rows} rows, want {len(spec['rows'])}")
    for field in table.schema:
        for i, (value, row) in enumerate(zip(table.column(field.name).to_pylist(), spec["rows"])):
            got = plain(value, field.type)
            if not same(got, row[field.name], field.type):
                raise ValueError(f"row {i}, {field.name}: {got!r}, want {row[field.name]!r}")
    return table.num_rows


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(os.path.join(sys.argv[1], "expect.json"), encoding="utf-8") as f:
        expect = json.load(f)
    for spec in expect["files"]:
        try:
            rows = check(sys.argv[1], spec)
        except Exception as err:  # any failure to read is a difference
            sys.exit(f"{spec['path']}: {type(err).__name__}: {err}")
        print(f"{spec['path']}: {rows} rows agree")


if __name__ == "__main__":
    main()

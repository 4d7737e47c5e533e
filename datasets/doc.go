// Package datasets keeps what self-play and experiments produce: training
// samples, game records and learning curves, in files that other programs read.
//
// # Files
//
// A data file ("shard") is one Arrow IPC stream compressed with zstd, in batches
// of at most 4096 samples or 1024 games and about 8 MiB. Columns are plain
// numbers, bits, UTF-8 text, byte strings and flat lists of numbers; none is
// nullable and none is a dictionary, since dictionaries that grow and nested
// fixed-size lists lose data on the way to other formats. The schema's metadata
// says what the rows are ([MetaKind], [MetaVersion]) and what their numbers mean
// (the other Meta keys). pyarrow, polars and others read the files as they are:
//
//	with pyarrow.ipc.open_stream("samples-000001.arrows") as r:
//	    table = r.read_all()
//
// [Sample] and [Game] document the columns. One description of each row type
// makes schema, writer, reader and text export, so these agree by construction.
//
// # Promises
//
//   - A file is whole or absent: it is written under a temporary name, flushed
//     to the disk and renamed by [Writer.Commit]. See package atomicfile.
//   - The same rows and metadata give the same bytes, whatever the number of
//     processors (for one version of the compressor).
//   - Damage is noticed: the writer returns the SHA-256 in a [ShardInfo], a
//     [Manifest] keeps it, and readers verify it before they decode. Without a
//     hash a changed bit inside a batch can pass; the structure is checked always.
//   - A stream that was cut anywhere is an error ([ErrTruncated]); in recovery
//     mode every whole batch before the cut is given back.
//   - Hostile files cause errors, not crashes: lengths are checked against the
//     bytes that are there before anything is allocated, and [Limits] bound the
//     memory. Rows that break an invariant are refused by readers and writers.
//
// # Use
//
// Self-play writes one shard of samples and one of games a batch of games:
//
//	w, err := datasets.CreateGames(path, meta)
//	defer w.Abort()
//	err = w.Append(&game) // over time
//	info, err := w.Commit()
//	err = manifest.Add(info)
//
// The learner keeps a [Window] of recent samples and draws from it; a curve
// goes into [Metrics]. [Inspect] summarises a file, [Verify] checks it row by
// row, [ExportCSV] and [ExportJSON] turn it into text, [ExportPlanes] into NumPy
// arrays for trainers that do not know latro, and package
// datasets/parquet into Parquet, which DuckDB and R read.
//
// # Changing a schema
//
// A changed column is a new version of its schema: raise the version in
// sampleSchema, gameSchema or metricSchema. A column that is added at the end is
// listed in the schema's table since, with what older files have in its place,
// and those are read on: samples of version 1 lack surprise, which is then NaN.
// Readers refuse other versions by name rather than guess. testdata/read_shards.py reads files of every kind with
// pyarrow and compares each value; the test of datasets/parquet runs it if
// LATRO_PYTHON names an interpreter that has pyarrow.
package datasets

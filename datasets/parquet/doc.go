// Package parquet exports latro's data files to Parquet, for DuckDB, R, Spark and
// other programs that read Parquet rather than Arrow streams.
//
// It is a package of its own because Arrow's Parquet library brings along far
// more code than the rest of latro needs; only the command line links it.
package parquet

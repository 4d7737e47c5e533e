// Package oracle reads games and counts of positions that other programs recorded (above all Ludii 1.3.12) and
// compares them, ply by ply, with the rules as this module plays them.
//
// # Notation
//
// Squares are "row.col", row 0 at player 0's side. Plies: "P3.4" places a man, "D3.4" the leader; "M2.3-2.6" is
// a step or slide, "H2.3-2.5" a hop, "X4.5" the removal of a bound enemy, "R" raises both hands in the agreement
// phase, "-" is a pass or the stop of a chain or bonus. A list of plies is in byte order, joined with one space.
// A board is rows*cols characters, row 0 first: '.' empty, 'a' 'b' men, 'A' 'B' leaders, 'x' 'y' bound men of
// players 0 and 1. Recorded files call the players 1 and 2.
//
// # Recorded games (…games.jsonl, plain or gzipped): one JSON object a line
//
//	{"t":"head","ruleset":…,"rows":…,"cols":…,"start":board,"hand":[4],"ludii":… or "reading":"default"}
//	{"t":"game","g":number,"policy":…,"full":…}
//	{"t":"ply","p":1|2,"n":legal plies,"l":list or "x":hash or neither,"m":ply,"b":board after,"h":[4]}
//	{"t":"end","g":number,"plies":…,"result":"1"|"2"|"draw"|"unfinished","end":kind}
//
// "x" is the FNV-1a hash (32 bit, 8 hexadecimal digits) of the list; "h" is the hands after the ply, absent
// once nothing is in hand. Lines longer than 1 MiB, unknown fields, and records out of place are errors that
// name file and line (ErrFormat).
//
// # Perft files (…perft.jsonl): one JSON object a line
//
//	{"name":…,"moves":plies from the start,"p":1|2,"b":board,"perft":[sequences of 1, 2, … plies]}
//
// # Which rules a file tests
//
// The ruleset is the recorded name without the ending "-fixed" or "-default"; the reading is "default" for names
// that end in "-default" and for luductus and webdux, else "ludii". The unmodified
// schadler-1994, schadler-2001 and locus-ludi-seneca show bugs of Ludii's game file that no reading has
// (KnownBugs). A recorded draw by "TurnLimit" is the outcome capped here, and the result of an unfinished game is
// not compared.
//
// ReplayFile and CheckPerft use env/engine; Replay and Perft take any Player. Files are read as streams in
// bounded memory.
package oracle

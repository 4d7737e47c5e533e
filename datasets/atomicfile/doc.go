// Package atomicfile writes files that are either whole or absent.
//
// A run of latro may be stopped at any instant, by a signal, by a full disk or
// by the machine. Every file that a later start relies on (shards, checkpoints,
// manifests) is therefore written the same way:
//
//  1. create a temporary file in the directory of the target, so that the last
//     step cannot cross file systems;
//  2. write the content and flush it to the disk (fsync);
//  3. rename the temporary file over the target, which POSIX promises to be
//     atomic: a reader sees the old file or the new one, never a mixture;
//  4. flush the directory, so that the rename itself survives a power cut.
//
// When any step fails the temporary file is removed, the target is untouched
// and the error says which step failed on which path. After SIGKILL a temporary
// file can be left behind; its name ends in [Suffix] and [RemoveStale] clears
// such files from a directory that no other process is writing to.
package atomicfile

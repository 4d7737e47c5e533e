package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"latro/datasets/atomicfile"
)

// Format and version of manifest files.
const (
	manifestFormat  = "latro.manifest"
	manifestVersion = 1

	// maxShardRows keeps sums of rows, which a stranger may have written, from
	// overflowing.
	maxShardRows = 1 << 40
)

// Manifest is the list of the data files of a run: a JSON file that is replaced
// atomically whenever a shard is added. A file exists for the run from the
// moment its entry is on the disk; one that lies there without an entry was
// committed just before a crash, and is written again (the run is reproducible)
// or adopted with Add.
//
// A Manifest is for one goroutine, and for one process at a time.
type Manifest struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	Meta    map[string]string `json:"meta,omitempty"` // the caller's: run, engine version, seeds, host
	Shards  []ShardInfo       `json:"shards"`

	path string
}

// OpenManifest reads the manifest at path. If there is no such file it returns
// an empty manifest, which the first Add or Save puts there.
func OpenManifest(path string) (*Manifest, error) {
	m := &Manifest{Format: manifestFormat, Version: manifestVersion, path: path}
	f, _, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	bad := func(kind error, format string, args ...any) error {
		return &FileError{Path: path, Offset: -1, What: fmt.Sprintf(format, args...), Err: kind}
	}
	*m = Manifest{path: path}
	d := json.NewDecoder(f)
	if err := d.Decode(m); err != nil {
		return nil, bad(ErrDamaged, "is not a manifest: %v", err)
	}
	if m.Format != manifestFormat || m.Version != manifestVersion {
		return nil, bad(ErrSchema, "has format %q version %d; this program reads %q version %d",
			m.Format, m.Version, manifestFormat, manifestVersion)
	}
	seen := make(map[string]bool, len(m.Shards))
	for i, s := range m.Shards {
		// A manifest from a stranger must not make anyone read or remove files
		// elsewhere.
		if !filepath.IsLocal(filepath.FromSlash(s.Path)) {
			return nil, bad(ErrDamaged, "shard %d: path %q leads out of the run", i, s.Path)
		}
		if seen[s.Path] {
			return nil, bad(ErrDamaged, "shard %d: path %q is listed twice", i, s.Path)
		}
		seen[s.Path] = true
		if len(s.SHA256) != 64 || s.Bytes < 0 || s.Rows > maxShardRows {
			return nil, bad(ErrDamaged, "shard %d (%s): no valid hash, length or number of rows", i, s.Path)
		}
	}
	return m, nil
}

// Path returns the path of the manifest file.
func (m *Manifest) Path() string { return m.path }

// Resolve returns the path of a listed shard, from the manifest's directory.
func (m *Manifest) Resolve(s ShardInfo) string {
	return filepath.Join(filepath.Dir(m.path), filepath.FromSlash(s.Path))
}

// Find returns the entry of a file by its path relative to the manifest's
// directory, with slashes.
func (m *Manifest) Find(rel string) (ShardInfo, bool) {
	i := slices.IndexFunc(m.Shards, func(s ShardInfo) bool { return s.Path == rel })
	if i < 0 {
		return ShardInfo{}, false
	}
	return m.Shards[i], true
}

// Of returns the shards of one kind in the order in which they were added.
func (m *Manifest) Of(kind Kind) []ShardInfo {
	var out []ShardInfo
	for _, s := range m.Shards {
		if s.Kind == kind {
			out = append(out, s)
		}
	}
	return out
}

// Rows returns the number of rows of one kind.
func (m *Manifest) Rows(kind Kind) (n uint64) {
	for _, s := range m.Of(kind) {
		n += s.Rows
	}
	return n
}

// Add lists shards as their writers described them, all of them in one atomic
// replacement of the file, so that the samples and the games of a batch appear
// together. The files must lie below the manifest's directory. A file that is
// listed already with the same content is left as it is, with another content it
// is an error: shards never change. On an error nothing changes.
func (m *Manifest) Add(shards ...ShardInfo) error {
	next := slices.Clone(m.Shards)
	for _, s := range shards {
		rel, err := m.relative(s.Path)
		if err != nil {
			return err
		}
		s.Path = rel
		i := slices.IndexFunc(next, func(o ShardInfo) bool { return o.Path == rel })
		if i < 0 {
			next = append(next, s)
			continue
		}
		if old := next[i]; old.SHA256 != s.SHA256 {
			return fmt.Errorf("%s: shard %s is listed with SHA-256 %s and cannot become %s", m.path, rel, old.SHA256, s.SHA256)
		}
	}
	old := m.Shards
	m.Shards = next
	if err := m.Save(); err != nil {
		m.Shards = old
		return err
	}
	return nil
}

// relative turns a writer's path into a manifest's.
func (m *Manifest) relative(path string) (string, error) {
	dir, err := filepath.Abs(filepath.Dir(m.path))
	if err != nil {
		return "", err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s: shard %s lies outside the manifest's directory", m.path, path)
	}
	return filepath.ToSlash(rel), nil
}

// Save replaces the file.
func (m *Manifest) Save() error {
	m.Format, m.Version = manifestFormat, manifestVersion
	if m.Shards == nil {
		m.Shards = []ShardInfo{}
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(m.path, append(b, '\n'))
}

// Verify compares length and SHA-256 of every listed file and returns all that
// differ or are missing, joined, or nil.
func (m *Manifest) Verify() error {
	var errs []error
	for _, s := range m.Shards {
		f, _, err := openFile(m.Resolve(s), &s)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f.Close()
	}
	return errors.Join(errs...)
}

// Orphans returns the data files in a subdirectory of the run ("" for the run's
// own) that the manifest does not list, sorted, as paths relative to the
// manifest's directory: what a crash between [Writer.Commit] and Add leaves.
// Temporary files are not among them; atomicfile.RemoveStale clears those.
func (m *Manifest) Orphans(sub string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(filepath.Dir(m.path), filepath.FromSlash(sub)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ShardSuffix) {
			continue
		}
		rel := e.Name()
		if sub != "" {
			rel = sub + "/" + rel
		}
		if _, ok := m.Find(rel); !ok {
			out = append(out, rel)
		}
	}
	return out, nil
}

// ShardSuffix ends the names of data files; it is the registered extension of
// the Arrow stream format.
const ShardSuffix = ".arrows"

// ShardName returns the usual name of a numbered shard, "samples-000012.arrows"
// for number 12; names sort in the order of their numbers.
func ShardName(kind Kind, number int) string {
	return fmt.Sprintf("%ss-%06d%s", kind, number, ShardSuffix)
}

package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"latro/datasets"
)

// WriteGames writes every game of an experiment's directory into one file,
// [GamesFile], one row a game in the order of cells, pairs and slots (the columns of
// [datasets.Game]; it is an Arrow stream as the shards are). It reads one shard's
// batch at a time, so that its memory does not grow with the number of games, and
// checks every shard against the manifest. to is the directory to write to, dir
// itself if empty.
func WriteGames(dir, to string) (datasets.ShardInfo, error) {
	m, d, err := ReadManifest(dir)
	if err != nil {
		return datasets.ShardInfo{}, err
	}
	if to == "" {
		to = dir
	}
	w, err := datasets.CreateGames(filepath.Join(to, GamesFile), map[string]string{
		metaDesign: m.DesignHash, datasets.MetaEngineVersion: m.EngineVersion, datasets.MetaRun: d.ID,
	})
	if err != nil {
		return datasets.ShardInfo{}, err
	}
	defer w.Abort()
	for _, u := range m.Units {
		if err := eachGame(dir, u, w.Append); err != nil {
			return datasets.ShardInfo{}, err
		}
	}
	return w.Commit()
}

// eachGame reads the games of a unit one by one; the row is only valid during the
// call.
func eachGame(dir string, u UnitInfo, f func(*datasets.Game) error) error {
	local := filepath.FromSlash(u.Path)
	if !filepath.IsLocal(local) {
		return damaged("the manifest of %s names the file %q outside its directory", dir, u.Path)
	}
	path := filepath.Join(dir, local)
	r, err := datasets.OpenGames(path, datasets.Options{
		Expect: &datasets.ShardInfo{Path: path, Kind: datasets.Games, Rows: uint64(u.Games), Bytes: u.Bytes, SHA256: u.SHA256},
	})
	if err != nil {
		return mend(path, err)
	}
	defer r.Close()
	var g datasets.Game
	n := 0
	for r.Next(&g) {
		n++
		if err := f(&g); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := r.Err(); err != nil {
		return mend(path, err)
	}
	if n != u.Games {
		return damaged("%s holds %d games, the manifest says %d", path, n, u.Games)
	}
	return nil
}

// mend says what to do about a shard that cannot be read.
func mend(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return damaged("the shard %s is listed in %s but is gone; restore it, or run the experiment again to have its games played again", path, ManifestFile)
	case errors.Is(err, datasets.ErrDamaged):
		return fmt.Errorf("%w; restore %s, or delete it and run the experiment again to have its games played again", err, path)
	}
	return err
}

// unitTable finds the gapless beginning of each cell among the manifest's units:
// table[cell][unit]. While an experiment is unfinished a cell may have a later unit
// before an earlier one.
func (m *Manifest) unitTable() [][]UnitInfo {
	out := make([][]UnitInfo, len(m.Cells))
	units := slices.Clone(m.Units)
	slices.SortStableFunc(units, func(a, b UnitInfo) int { return a.Unit - b.Unit })
	for _, u := range units {
		if u.Cell >= 0 && u.Cell < len(out) && u.Unit == len(out[u.Cell]) {
			out[u.Cell] = append(out[u.Cell], u)
		}
	}
	return out
}

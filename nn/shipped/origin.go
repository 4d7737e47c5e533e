package shipped

import (
	"strconv"

	"latro/nn"
)

// Origin is the run that made a network.
type Origin struct {
	// Command is the command line that made the run, Config its frozen configuration, run.yaml.
	Command string `json:"command,omitempty"`
	Config  string `json:"config,omitempty"`
	// Seed is the root of its random streams.
	Seed uint64 `json:"seed"`
	// Generation of the network: the rounds of self-play and training before it. Games and Samples are those it
	// was made from.
	Generation int    `json:"generation"`
	Games      uint64 `json:"games"`
	Samples    uint64 `json:"samples"`
	// Hours is the time that the run took by the clock, 0 if that is not known, and Workers the number of cores that it had.
	Hours   float64 `json:"hours"`
	Workers int     `json:"workers,omitempty"`
	// Note is for readers, such as that the curve still rose at the end.
	Note string `json:"note,omitempty"`
}

// Keys of nn.Network.Meta.
const (
	metaCommand    = "run_command"
	metaConfig     = "run_config"
	metaSeed       = "run_seed"
	metaGeneration = "run_generation"
	metaGames      = "run_games"
	metaSamples    = "run_samples"
	metaHours      = "run_hours"
	metaWorkers    = "run_workers"
	metaNote       = "run_note"
)

// Record writes o into the network's notes.
func (o Origin) Record(n *nn.Network) {
	for key, value := range map[string]string{
		metaCommand: o.Command, metaConfig: o.Config, metaNote: o.Note,
		metaSeed: strconv.FormatUint(o.Seed, 10), metaGeneration: strconv.Itoa(o.Generation),
		metaGames: strconv.FormatUint(o.Games, 10), metaSamples: strconv.FormatUint(o.Samples, 10),
		metaHours: strconv.FormatFloat(o.Hours, 'f', 2, 64), metaWorkers: strconv.Itoa(o.Workers),
	} {
		if delete(n.Meta, key); value != "" {
			n.Meta[key] = value
		}
	}
}

// IsOrigin says whether a key of nn.Network.Meta is one that Record writes.
func IsOrigin(key string) bool {
	switch key {
	case metaCommand, metaConfig, metaSeed, metaGeneration, metaGames, metaSamples, metaHours, metaWorkers, metaNote:
		return true
	}
	return false
}

// OriginOf reads what Record wrote; ok is false if there is nothing of that.
func OriginOf(n *nn.Network) (o Origin, ok bool) {
	if _, ok = n.Meta[metaGeneration]; !ok {
		return o, false
	}
	// What does not parse stays 0: these are notes.
	o.Command, o.Config, o.Note = n.Meta[metaCommand], n.Meta[metaConfig], n.Meta[metaNote]
	o.Seed, _ = strconv.ParseUint(n.Meta[metaSeed], 10, 64)
	o.Generation, _ = strconv.Atoi(n.Meta[metaGeneration])
	o.Games, _ = strconv.ParseUint(n.Meta[metaGames], 10, 64)
	o.Samples, _ = strconv.ParseUint(n.Meta[metaSamples], 10, 64)
	o.Hours, _ = strconv.ParseFloat(n.Meta[metaHours], 64)
	o.Workers, _ = strconv.Atoi(n.Meta[metaWorkers])
	return o, true
}

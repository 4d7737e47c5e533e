package nn

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

const (
	maxBlocks   = 256
	maxChannels = 1024
	// trunk·blocks·channels² bounds the parameters of the blocks. At most maxTrunk of them keep the file of
	// a trainer state, three numbers a parameter, below maxFile: what is made can also be read back.
	trunk    = 2*9 + 2
	maxTrunk = 336_000_000
)

// Config is the architecture of a network, apart from the shape of its game.
type Config struct {
	// Blocks is the number of residual blocks, 1 to 256. Each holds two 3×3
	// convolutions; a stone's influence reaches 2 squares further a block.
	Blocks int `json:"blocks"`
	// Channels is the width of the trunk, 1 to 1024. Multiples of 16 use the
	// kernels fully; other widths cost as much as the next multiple.
	Channels int `json:"channels"`
	// PoolEvery gives every PoolEvery-th block a global-pooling bias (KataGo,
	// Wu 2020, §3.3), by which distant parts of the board are seen at once; the
	// last block of the network always has one. 1 to 256.
	PoolEvery int `json:"pool_every"`
	// ValueHidden is the width of the value head's hidden layer, 1 to 4096.
	ValueHidden int `json:"value_hidden"`
	// Auxiliary adds the heads of the package's section "Auxiliary heads", with
	// tensors named "aux.…": they give the trunk more to learn from and cost
	// nothing in play.
	Auxiliary bool `json:"auxiliary,omitempty"`
}

// ParsePreset returns the configuration named "BxC" (blocks×channels), such as
// "4x32", the default for fast self-play, "6x64" or "10x128"; any B and C in
// range will do. Other fields take their usual values; Auxiliary is false.
func ParsePreset(name string) (Config, error) {
	b, c, ok := strings.Cut(name, "x")
	blocks, errB := strconv.Atoi(b)
	channels, errC := strconv.Atoi(c)
	if !ok || errB != nil || errC != nil {
		return Config{}, fmt.Errorf("network preset %q: want blocks and channels, such as 4x32", name)
	}
	cfg := Config{Blocks: blocks, Channels: channels, PoolEvery: 2, ValueHidden: max(32, channels)}
	if err := cfg.Validate(); err != nil {
		return Config{}, fmt.Errorf("network preset %q: %w", name, err)
	}
	return cfg, nil
}

// Name returns the preset's name, such as "4x32".
func (c Config) Name() string { return fmt.Sprintf("%dx%d", c.Blocks, c.Channels) }

// describe is Name with what a preset's name leaves open.
func (c Config) describe() string {
	if c.Auxiliary {
		return c.Name() + " network with auxiliary heads"
	}
	return c.Name() + " network"
}

// Validate returns every problem with the configuration at once, or nil.
func (c Config) Validate() error {
	var errs []error
	check := func(field string, v, lo, hi int) {
		if v < lo || v > hi {
			errs = append(errs, fmt.Errorf("%s is %d; it must be %d to %d", field, v, lo, hi))
		}
	}
	check("blocks", c.Blocks, 1, maxBlocks)
	check("channels", c.Channels, 1, maxChannels)
	check("pool_every", c.PoolEvery, 1, maxBlocks)
	check("value_hidden", c.ValueHidden, 1, 4*maxChannels)
	if len(errs) == 0 && trunk*int64(c.Blocks)*int64(c.Channels)*int64(c.Channels) > maxTrunk {
		errs = append(errs, fmt.Errorf("%s has more parameters than a file may hold: blocks·channels² is above %d", c.Name(), maxTrunk/trunk))
	}
	return errors.Join(errs...)
}

// pooled reports whether block i has a global-pooling bias.
func (c Config) pooled(i int) bool { return i == c.Blocks-1 || (i+1)%c.PoolEvery == 0 }

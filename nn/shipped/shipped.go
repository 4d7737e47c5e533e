package shipped

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"latro/env"
	"latro/nn"
)

//go:embed networks
var files embed.FS

// MaxBytes is the size that no network here exceeds: they are part of every copy of the program.
const MaxBytes = 1 << 20

// ErrNone is wrapped by the errors of ForRuleset and Open where there is no such network.
var ErrNone = errors.New("no network ships")

// dir is the folder of the files, which are called ID.latro.
const dir, ext = "networks", ".latro"

// IDs are the ids of the networks, sorted. Each is the id of the ruleset that it plays.
func IDs() []string {
	names, err := fs.Glob(files, path.Join(dir, "*"+ext))
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(path.Base(name), ext)
	}
	return names
}

// Open returns a copy of the network with the id, and the size of its file in bytes. Without one the error wraps
// ErrNone and lists those that there are; a network that reads other inputs than this program makes, since an encoding
// has changed, is refused with an error that wraps nn.ErrShape.
func Open(id string) (n *nn.Network, bytes int, err error) {
	if !slices.Contains(IDs(), id) {
		return nil, 0, fmt.Errorf("%w under the name %q; %s", ErrNone, id, those())
	}
	data, err := files.ReadFile(path.Join(dir, id+ext))
	if err != nil {
		return nil, 0, err
	}
	if n, err = nn.Decode("the network "+id+" that ships", data); err != nil {
		return nil, 0, err
	}
	if v := n.Meta[metaEncoding]; v != strconv.Itoa(env.EncodingVersion) {
		return nil, 0, fmt.Errorf("%w: the network %s that ships was trained with version %s of the encodings; this program has version %d",
			nn.ErrShape, id, v, env.EncodingVersion)
	}
	return n, len(data), nil
}

// metaEncoding is the key of nn.Network.Meta under which runs keep env.EncodingVersion.
const metaEncoding = "encoding_version"

// ForRuleset returns the id of the network that was trained on the rules with this content hash. Without one the error
// wraps ErrNone, lists the rulesets that have one, and tells how to train one.
func ForRuleset(hash string) (string, error) {
	for _, id := range IDs() {
		n, _, err := Open(id)
		if err != nil {
			return "", err
		}
		if n.RulesetHash == hash {
			return id, nil
		}
	}
	return "", fmt.Errorf("%w for these rules; %s. To train one: latro learn DIR --ruleset RULESET --minutes 60, and then net:run=DIR", ErrNone, those())
}

func those() string { return "there are networks for " + strings.Join(IDs(), ", ") }

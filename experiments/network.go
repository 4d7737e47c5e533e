package experiments

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"latro/selfplay"
)

// checkNetwork looks whether a network is there; what is in it shows when it is
// played.
func (d Design) checkNetwork(name, rulesetHash string) error {
	if id, ok := selfplay.ShippedID(name); ok {
		if id == "" {
			_, err := selfplay.ResolveNetwork(name, rulesetHash)
			return err
		}
		_, err := selfplay.LoadNetwork(name)
		return err
	}
	where := d.place(name)
	info, err := os.Stat(where)
	switch {
	case name == "":
		return errors.New("the name is empty")
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist", where)
	case err != nil:
		return err
	case !info.IsDir() && !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a directory", where)
	}
	return nil
}

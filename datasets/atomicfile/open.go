package atomicfile

import (
	"fmt"
	"os"
)

// Open opens a regular file for reading and returns its length, by which a reader bounds what it allocates. Anything
// else is refused with ErrNotRegular before it is opened: opening a pipe waits for whoever writes to it, and a device may
// have no end. The caller closes the file.
func Open(path string) (f *os.File, size int64, err error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !st.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("read %s: %w", path, ErrNotRegular)
	}
	if f, err = os.Open(path); err != nil {
		return nil, 0, err
	}
	// Asked again of what was opened: another file may stand there by now.
	if st, err = f.Stat(); err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("read %s: %w", path, ErrNotRegular)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}

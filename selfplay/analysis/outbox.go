package analysis

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// outbox writes answers, one JSON object a line, each with one call of Write. If it is ordered, the last answers to
// the lines of input come in the order of the lines. After the first failure to write nothing is written any more.
// Safe for concurrent use.
type outbox struct {
	mu      sync.Mutex
	w       io.Writer
	ordered bool
	next    int            // the line whose answer is due
	held    map[int][]byte // answers that came early
	err     error
	failed  func(error) // told the first error
}

// send writes an answer to a line of input. In an ordered outbox every line has exactly one answer, and lines
// count from 0.
func (o *outbox) send(line int, answer any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		panic(err) // an answer's own type is wrong
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ordered {
		o.write(b.Bytes())
		return
	}
	if line != o.next {
		o.held[line] = b.Bytes()
		return
	}
	o.write(b.Bytes())
	for o.next++; o.held[o.next] != nil; o.next++ {
		o.write(o.held[o.next])
		delete(o.held, o.next)
	}
}

func (o *outbox) write(b []byte) {
	if o.err != nil {
		return
	}
	if _, o.err = o.w.Write(b); o.err != nil {
		o.failed(o.err)
	}
}

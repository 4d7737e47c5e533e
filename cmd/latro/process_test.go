package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// process is a call of the program in a process of its own: the test binary, which TestMain makes the program.
type process struct {
	cmd      *exec.Cmd
	out, err output
}

// output is a buffer that may be read while the process writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// start starts the program with additional environment. Its standard input is open, and nobody types.
func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	stdin, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close() // the process has its own
	p := &process{cmd: exec.Command(os.Args[0], args...)}
	p.cmd.Env = append(append(os.Environ(), envProgram+"=1"), env...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		w.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.cmd.Process.Kill() // does nothing to a process that has ended
		w.Close()
	})
	return p
}

// wait waits for the end and returns the exit code, -1 if a signal ended the process.
func (p *process) wait(t *testing.T) int {
	t.Helper()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

package rules

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// Editors put byte-order marks in front of text; other encodings are refused before a name is spoilt by them.
func TestEncodings(t *testing.T) {
	text, err := catalogueSource("bell-8x7")
	if err != nil {
		t.Fatal(err)
	}
	want, err := Parse("bell.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("bell.yaml", append([]byte("\xef\xbb\xbf"), text...))
	if err != nil {
		t.Fatalf("with a byte-order mark: %v", err)
	}
	if got.Hash() != want.Hash() || got.ID != want.ID {
		t.Error("a byte-order mark changes the ruleset")
	}
	latin := strings.Replace(string(text), "name: Bell 8x7", "name: B\xe9ll", 1)
	if _, err := Parse("bell.yaml", []byte(latin)); err == nil || !strings.Contains(err.Error(), "bell.yaml:4:1: the line is not UTF-8") {
		t.Errorf("Latin-1: %v", err)
	}
}

func TestCheckYAML(t *testing.T) {
	for _, bad := range []string{strings.Repeat("[", 1000), strings.Repeat("{a: ", 1000), strings.Repeat(" ", 1000) + "a:", "a\x00"} {
		var p *Problem
		if _, err := CheckYAML("x.yaml", []byte(bad)); !errors.As(err, &p) || p.File != "x.yaml" || p.Line != 1 {
			t.Errorf("%.10q: %v", bad, err)
		}
	}
	if got, err := CheckYAML("x.yaml", []byte("\ufeffa: 1")); err != nil || string(got) != "a: 1" {
		t.Errorf("byte-order mark: %q, %v", got, err)
	}
}

func TestDeviceIsNoRuleset(t *testing.T) {
	if _, err := Open(os.DevNull); !errors.Is(err, ErrInvalid) {
		t.Errorf("%s: %v", os.DevNull, err)
	}
}

package rules_test

import (
	"bytes"
	"strings"
	"testing"

	"latro/env/rules"
)

// A stranger's names and notes stay text on a page: no Markdown, no HTML, no code span left open.
func TestMarkdownEscapes(t *testing.T) {
	text := strings.NewReplacer("name: Minimal", "name: '<script>alert(1)</script> `x *y* [z](http://e)'", "note: A limit.", "note: 'odd ` tick <b>'").Replace(minimal(t))
	r, err := rules.Parse("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.RenderMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<b>", "*y*", "[z](", " ` tick", "\x01", "\x02"} {
		if i := strings.Index(b.String(), bad); i >= 0 && b.String()[max(i-1, 0)] != '\\' {
			t.Errorf("the page holds %q", bad)
		}
	}
	if !strings.Contains(b.String(), "`end.no_capture_limit = 60`") || !strings.Contains(b.String(), "**sixty**") {
		t.Error("the writer's own marks are missing")
	}
}

package analysis

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestDocs: docs/analysis.md describes every field of queries and answers, every action and every flag's bound, and
// no field that does not exist.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	have := map[string]bool{}
	for _, mode := range []Mode{Analyse, Play} {
		cfg := config("uniform", "bell-8x7")
		cfg.Mode = mode
		for _, action := range actions {
			r := only(t, serve(t, cfg, `{"id":"a","terminate_id":"b","no-such-field":1,"action":"`+action+`"}`))
			_, list, ok := strings.Cut(r.Error, "the fields are ")
			if list, _, _ = strings.Cut(list, "\n"); !ok && action != actionAnalyse && action != actionPosition {
				t.Fatalf("%s: %s", action, r.Error)
			}
			if !ok {
				r = only(t, serve(t, cfg, `{"id":"a","no-such-field":1,"action":"`+action+`"}`))
				if _, list, ok = strings.Cut(r.Error, "the fields are "); !ok {
					t.Fatalf("%s: %s", action, r.Error)
				}
			}
			for _, name := range strings.Split(list, ", ") {
				have[name] = true
			}
		}
	}
	if len(have) < 20 {
		t.Fatalf("only the query fields %v", have)
	}
	var walk func(reflect.Type)
	walk = func(x reflect.Type) {
		for x.Kind() == reflect.Pointer || x.Kind() == reflect.Slice {
			x = x.Elem()
		}
		if x.Kind() != reflect.Struct {
			return
		}
		for i := range x.NumField() {
			name, _, _ := strings.Cut(x.Field(i).Tag.Get("json"), ",")
			have[name] = true
			if x.Field(i).Type != reflect.SliceOf(x) {
				walk(x.Field(i).Type)
			}
		}
	}
	for _, v := range []any{errorAnswer{}, actionAnswer{}, versionAnswer{}, boardAnswer{}, positionAnswer{}, playAnswer{}} {
		walk(reflect.TypeOf(v))
	}
	for name := range have {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/analysis.md does not describe %s", name)
		}
	}
	// The first column of the tables of fields.
	for _, m := range regexp.MustCompile("(?m)^\\| ((?:`[a-z_0-9]+`(?:, )?)+) \\|").FindAllStringSubmatch(page, -1) {
		for _, name := range regexp.MustCompile("`([a-z_0-9]+)`").FindAllStringSubmatch(m[1], -1) {
			known := have[name[1]]
			for _, a := range actions {
				known = known || a == name[1]
			}
			if !known && name[1] != "latro" {
				t.Errorf("docs/analysis.md describes %s, which does not exist", name[1])
			}
		}
	}
}

package difftest

import (
	"slices"
	"strings"
	"testing"

	"latro/env/rules"
)

// TestCatalogueAgreesWithText compares every catalogue entry that FromText knows, in the readings default and
// ludii, parameter by parameter: two readings of the same prose by two hands.
func TestCatalogueAgreesWithText(t *testing.T) {
	compared := 0
	for _, id := range rules.Catalogue() {
		for _, reading := range []string{"default", "ludii"} {
			want, ok := FromText(id, reading)
			if !ok {
				continue
			}
			r, err := rules.Open(ref(id, reading))
			if err != nil {
				t.Errorf("%s: %v", ref(id, reading), err)
				continue
			}
			compared++
			for _, d := range differences(t, want, r.Params) {
				t.Errorf("%s: %s", ref(id, reading), d)
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

func ref(id, reading string) string {
	if reading == "default" {
		return id
	}
	return id + "@" + reading
}

func differences(t *testing.T, want, got rules.Params) []string {
	var list []string
	for _, name := range rules.ParamNames() {
		w, err := want.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := got.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if w != g {
			list = append(list, name+" is "+g+" in the catalogue, "+w+" by the text")
		}
	}
	return list
}

// TestTextIsValid: what the rules document says must be possible rules.
func TestTextIsValid(t *testing.T) {
	for _, id := range TextIDs() {
		for _, reading := range []string{"default", "ludii"} {
			p, ok := FromText(id, reading)
			if !ok {
				if reading == "default" || id != "luductus" && id != "webdux" && !strings.HasPrefix(id, "seega-classic-") {
					t.Errorf("%s@%s is missing", id, reading)
				}
				continue
			}
			if problems := p.Validate(); len(problems) > 0 {
				t.Errorf("%s@%s: %v", id, reading, problems)
			}
		}
	}
	if ids := TextIDs(); !slices.IsSorted(ids) || !strings.Contains(strings.Join(ids, " "), "11x16-seega") || len(ids) != 34 {
		t.Errorf("TextIDs gives %d ids", len(ids))
	}
}

package rules_test

import (
	"testing"

	"latro/env/rules"
)

// Every catalogue entry opens in every reading, and its reference opens the same rules again.
func TestCatalogueOpens(t *testing.T) {
	for _, id := range rules.Catalogue() {
		r, err := rules.Open(id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		for _, reading := range r.Readings {
			x, err := rules.Open(id + "@" + reading.Name)
			if err != nil {
				t.Errorf("%s@%s: %v", id, reading.Name, err)
				continue
			}
			if x.Hash() == r.Hash() {
				t.Errorf("%s@%s: the reading changes nothing", id, reading.Name)
			}
			again, err := rules.Open(x.Ref())
			if err != nil || again.Hash() != x.Hash() {
				t.Errorf("%s: reopening gives other rules (error %v)", x.Ref(), err)
			}
		}
	}
}

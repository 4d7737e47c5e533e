package report

import "testing"

// TestVersionIsOnThePage: a page tells the version it was written with, in its head and
// nowhere else; an older page, or none, is the first version.
func TestVersionIsOnThePage(t *testing.T) {
	page := Report{Title: `<meta name="generator" content="latro report 77"/>`}.HTML()
	for text, want := range map[string]int{
		page:                             Version,
		"<html><head></head></html>":     1,
		"":                               1,
		"<head></head>" + generatorTag(): 1,
		"<head>" + generatorTag():        1,
		"<head>" + `<meta name="generator" content="latro report 3"/>` + "</head>": 3,
	} {
		if got := VersionOf([]byte(text)); got != want {
			t.Errorf("version %d, want %d: %.80s", got, want, text)
		}
	}
}

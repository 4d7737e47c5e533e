package report

import (
	"fmt"

	"latro/experiments"
	"latro/experiments/stats"
)

func special(cells []*experiments.CellResult) Block {
	return onScreen("Captures and special plies", "metrics.csv, results.json", specialTable(cells))
}

// specialTable is the table of captures and special plies.
func specialTable(cells []*experiments.CellResult) Block {
	t := Table{Caption: "Captures and special plies", Words: 2, Head: []string{"ruleset", "agent", "what", "mean a game", "games with any"}}
	t.Words = 3
	// Rules that no ruleset of the experiment has are left out.
	used := map[string]bool{}
	for _, c := range cells {
		for _, u := range c.Uses {
			used[u.Name] = used[u.Name] || u.PerGame > 0
		}
	}
	for _, c := range cells {
		l, sub := label(c)
		t.Rows = append(t.Rows, []string{l, sub, "pieces taken", around(c.Taken, 2), ""})
		if c.Choices > 0 {
			t.Rows = append(t.Rows, []string{l, sub, "legal plies to choose from", fmt.Sprintf("%.1f a ply", c.Choices), ""})
		}
		for _, u := range c.Uses {
			if !used[u.Name] {
				continue
			}
			t.Rows = append(t.Rows, []string{l, sub, u.Name, fmt.Sprintf("%.2f", u.PerGame), short(u.Games)})
		}
	}
	return t
}

func endings(cells []*experiments.CellResult) Block {
	t := Table{Caption: "Why games ended", Words: 3, Head: []string{"ruleset", "agent", "end", "games", "share"}}
	for _, c := range cells {
		l, sub := label(c)
		for _, e := range c.Ends {
			t.Rows = append(t.Rows, []string{l, sub, orElse(e.Name, "unknown"), fmt.Sprint(e.Count), experiments.Percent(float64(e.Count) / float64(max(1, c.Games)))})
		}
	}
	return foldedIn("results.json", "Why games ended", t)
}

func copies(cells []*experiments.CellResult) Block {
	t := Table{Caption: "Copies of games", Words: 2, Head: []string{"ruleset", "agent", "games", "different", "worth independent games"}}
	for _, c := range cells {
		l, sub := label(c)
		t.Rows = append(t.Rows, []string{l, sub, fmt.Sprint(c.Games), experiments.Percent(c.Unique), fmt.Sprintf("%.0f", c.Effective)})
	}
	return foldedIn("results.json", "Copies of games", Text("Two games that are copies of each other count once; below %s different games no claim is made.", experiments.Percent(stats.MinUniqueShare)), t)
}

package main

import (
	"fmt"
	"text/tabwriter"

	"latro/experiments"
	"latro/nn/shipped"
)

// netOrigin is the run that made a network.
type netOrigin struct{ shipped.Origin }

// write prints it in rows of latro net info.
func (o *netOrigin) write(row func(name, format string, args ...any)) {
	if o.Command != "" {
		row("made by", "%s", o.Command)
	}
	row("trained", "%s", o.summary())
	if o.Note != "" {
		row("", "%s", o.Note)
	}
}

func (o *netOrigin) summary() string {
	return fmt.Sprintf("%s on %s, seed %d: %s, %d games, %d samples",
		o.time(), experiments.Plural(o.Workers, "core"), o.Seed, experiments.Plural(o.Generation, "generation"), o.Games, o.Samples)
}

func (o *netOrigin) time() string {
	if o.Hours == 0 {
		return "time not recorded"
	}
	return fmt.Sprintf("%.0f minutes", 60*o.Hours)
}

// netShipped is one line of the list of networks that ship.
type netShipped struct {
	// Name is how commands and agents name it.
	Name        string          `json:"name"`
	Ruleset     string          `json:"ruleset"`
	RulesetHash string          `json:"ruleset_hash"`
	Network     string          `json:"network"`
	Parameters  int             `json:"parameters"`
	Bytes       int             `json:"bytes"`
	Hash        string          `json:"hash"`
	Step        int64           `json:"step"`
	Origin      *shipped.Origin `json:"origin"`
}

// list is latro net info without a network.
func (c *netInfoCmd) list(a *app) error {
	if c.Tensors {
		return fmt.Errorf("%w: --tensors needs a network, as shipped:%s", errInput, shipped.IDs()[0])
	}
	var all []netShipped
	for _, id := range shipped.IDs() {
		n, size, err := shipped.Open(id)
		if err != nil {
			return err
		}
		s := netShipped{
			Name: "shipped:" + id, Ruleset: n.RulesetID, RulesetHash: n.RulesetHash, Network: n.Config.Name(), Parameters: n.Parameters(),
			Bytes: size, Hash: n.Hash(), Step: n.Step,
		}
		if o, ok := shipped.OriginOf(n); ok {
			s.Origin = &o
		}
		all = append(all, s)
	}
	if c.JSON {
		return a.printJSON(all)
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULESET\tNETWORK\tBYTES\tHASH\tTRAINED\tGENERATIONS\tGAMES\tSTEPS")
	for _, s := range all {
		o := netOrigin{}
		if s.Origin != nil {
			o.Origin = *s.Origin
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%.12s\t%s\t%d\t%d\t%d\n", s.Ruleset, s.Network, s.Bytes, s.Hash, o.time(), o.Generation, o.Games, s.Step)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "\nThey play as net:simulations=64 on their ruleset; latro net info %s tells how one was made.\n", all[0].Name)
	return nil
}

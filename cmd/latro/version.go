package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"latro/env"
	"latro/env/rules"
	"latro/nn"
)

// version is the program's version, as CHANGELOG.md has it.
const version = "0.1.0"

// versionCmd is latro version.
type versionCmd struct {
	JSON bool `help:"Print JSON."`
}

// Help is shown by --help.
func (versionCmd) Help() string { return "Examples:\n  latro version\n  latro version --json" }

// Run does it.
func (c *versionCmd) Run(a *app) error {
	v := map[string]any{
		"latro": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		"encoding": env.EncodingVersion, "rules_schema": rules.SchemaVersion, "kernels": nn.KernelID(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v["revision"] = s.Value
			}
		}
	}
	if c.JSON {
		return a.printJSON(v)
	}
	_, err := fmt.Fprintf(a.stdout, "latro %s (%s, %s), encoding %d, rules schema %d, kernels %s\n",
		version, runtime.Version(), v["platform"], env.EncodingVersion, rules.SchemaVersion, nn.KernelID())
	return err
}

package analysis_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"latro/selfplay/analysis"
)

// Ask for the ply to make in a position with three men and one enemy, by a search without a network.
func ExampleServer() {
	cfg := analysis.DefaultConfig()
	cfg.Mode = analysis.Play
	cfg.Agent = "uniform:simulations=100"
	cfg.Ruleset = "bell-8x7"
	server, err := analysis.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	queries := `{"position":"7/7/7/4a2/2ab3/7/7/7 0 movement","include_legal":false}`
	if err := server.Serve(context.Background(), strings.NewReader(queries), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"move":"e5-e4","ply":0,"mover":0,"over":false,"outcome":"ongoing","value":1,"proven":true,"simulations":5,"stopped":"proven","after":{"mover":0,"over":true,"outcome":"win0","reason":"none-left"}}
}

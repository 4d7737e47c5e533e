package rules

import (
	"slices"
	"strings"
)

// dormancy is a parameter that has no meaning beside the others and must therefore have one fixed value,
// so that two rulesets that play alike are not told apart by it.
type dormancy struct {
	name    string
	value   string // the value it must have
	because string // the reason, as the rest of a sentence
}

// dormant lists every parameter that p makes meaningless.
func dormant(p *Params) []dormancy {
	var out []dormancy
	rule := func(active bool, because string, pairs ...string) {
		if active {
			return
		}
		for _, pair := range pairs {
			name, value, _ := strings.Cut(pair, "=")
			out = append(out, dormancy{name, value, because})
		}
	}
	leaders := p.Pieces.Leaders > 0
	rule(leaders, "pieces.leaders is 0",
		"setup.leader=none", "movement.leaders.range=none", "movement.leaders.hop_over=",
		"capture.leader=none", "capture.leader_as_captor=both", "end.leader_captured=none", "end.leader_immobilised=none")
	rule(leaders || p.End.Annihilation != "men", "without leaders all pieces are men", "end.annihilation=pieces")
	placement := p.Setup.Kind == "placement"
	rule(placement, "setup.kind is array",
		"setup.per_turn=1", "setup.zone=anywhere", "setup.forbidden=", "setup.leader=none",
		"setup.first_mover=first-placer", "setup.agreement_max=0")
	rule(!placement, "setup.kind is placement", "setup.array=")
	rule(p.Setup.Zone == "own-rows", "setup.zone is anywhere", "setup.zone_rows=0")
	hops, chains := false, false
	for _, m := range []struct {
		name string
		*Mover
	}{{"men", &p.Movement.Men}, {"leaders", &p.Movement.Leaders}} {
		prefix := "movement." + m.name + "."
		rule(m.Range != "none", prefix+"range is none", prefix+"directions=none")
		rule(len(m.HopOver) > 0, prefix+"hop_over is empty",
			prefix+"hop_directions=none", prefix+"hop_length=one", prefix+"hop_chain=false")
		if p.Capture.Effect != "bind" && (slices.Contains(m.HopOver, "own-bound") || slices.Contains(m.HopOver, "enemy-bound")) {
			var rest []string
			for _, h := range m.HopOver {
				if h != "own-bound" && h != "enemy-bound" {
					rest = append(rest, h)
				}
			}
			rule(false, "captures do not bind (capture.effect is remove), so nothing is ever bound", prefix+"hop_over="+strings.Join(rest, ","))
		}
		hops = hops || len(m.HopOver) > 0
		chains = chains || m.HopChain
	}
	rule(chains, "no piece hops in chains", "movement.chain_offer=after-effects")
	rule(hops && p.Binding.Removal == "before-move" && p.Binding.RemovalNumber != "all",
		"no hop can follow a removal ply in the same turn", "movement.removal_square=allowed")
	row := p.Capture.Line == "row"
	rule(row, "capture.line is single", "capture.line_axes=same")
	rule(row && leaders && p.Capture.Leader != "as-man", "capture.line is single, or the leader is an ordinary piece of the line", "capture.leader_in_row=none")
	rule(p.Capture.Axes != "diagonal", "capture.axes is diagonal, so no line along a row is ever taken", "capture.line_axes=same")
	bind := p.Capture.Effect == "bind"
	rule(bind, "capture.effect is remove",
		"binding.removal=none", "binding.removal_number=none", "binding.removal_compulsory=false",
		"binding.corner_rescue=false", "binding.release_by_landing=false", "binding.guard_leaves=freed", "binding.held_twice=freed",
		"movement.between_bound=count")
	rule(p.Binding.Removal != "none", "binding.removal is none", "binding.removal_number=none", "binding.removal_compulsory=false")
	rule(p.Capture.CornerPair, "capture.corner_pair is false", "binding.corner_rescue=false")
	rule(hops, "no piece hops", "binding.release_by_landing=false")
	rule(p.Binding.GuardLeaves == "freed", "binding.guard_leaves is stays, so that no move releases", "binding.release_by_landing=false")
	rule(p.Movement.BetweenEnemies == "only-if-it-captures", "movement.between_enemies is allowed", "movement.between_bound=count")
	rule(p.Bonus.After != "none", "bonus.after is none", "bonus.piece=none", "bonus.compulsory=false", "bonus.must_capture=false")
	rule(p.End.Annihilation != "none", "end.annihilation is none", "end.annihilation_at=0", "end.annihilation_exact=false", "end.checked=every-ply")
	rule(p.End.AnnihilationAt > 0, "no side can have fewer than 0 pieces", "end.annihilation_exact=false")
	rule(p.End.Blocked == "pass" || p.End.Blocked == "opponent-opens", "nobody ever passes (end.blocked)", "end.two_passes=draw")
	rule(p.End.NoCaptureLimit > 0, "end.no_capture_limit is 0", "end.no_capture_result=none")
	rule(p.Capture.Leader == "as-man" || p.Capture.Leader == "surrounded" || !leaders, "the leader is never captured", "end.leader_captured=none")
	counts := p.End.NoCaptureResult == "count" || p.End.Blocked == "count" || p.End.LeaderCaptured == "count"
	rule(counts, "pieces are never counted at the end", "end.tie=draw")
	return out
}

// settle gives every meaningless parameter its fixed value, except those that the user named himself:
// there Validate speaks up. Settling one parameter can make another meaningless, hence the loop; it ends
// because every round lowers the number of parameters in play.
func settle(p *Params, named func(string) bool) {
	for range len(fields) {
		changed := false
		for _, d := range dormant(p) {
			f := fieldByName(d.name)
			if named(d.name) || f.get(p) == d.value {
				continue
			}
			if err := f.set(p, d.value); err == nil {
				changed = true
			}
		}
		if !changed {
			return
		}
	}
}

// Package difftest compares the fast engine (env/engine) with the literal one (env/internal/literal): random
// games over the catalogue and over random valid parameters, ply by ply. It also holds the parameters of every
// ruleset of the rules document as read straight from its text, against which the catalogue is compared.
package difftest

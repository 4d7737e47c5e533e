// Package difftest compares the fast engine (env/engine) with the literal one (env/internal/literal): random
// games over the catalogue and over random valid parameters, ply by ply. It also holds the parameters of every
// ruleset of the rules document as read straight from its text, against which the catalogue is compared.
//
// Comments and test messages here and in env call that document RULES.md. It is the project's working text on the
// rules, which both engines were written from; it is not part of the repository. What it settled is in the comments
// of rules.Params and in the catalogue, and docs/rules-trace.md leads from the sources' sentences to them.
package difftest

// Package rules holds a board game of the ludus latrunculorum family as data: what differs between two
// reconstructions is a difference of named parameters, never a branch in code.
package rules

// Package figure draws the figures of balance reports: stacked bars of
// outcomes, forest plots, survival curves, boards with traffic, and curves over
// training.
//
// A [Figure] is a value made from numbers; [Figure.SVG] gives a file of its own,
// [Figure.Inline] the same drawing for an HTML page (with a title and a
// description for screen readers, no outside reference), and [Figure.PNG] a
// bitmap. All three come from one drawing through gonum/plot's vector graphics,
// and the same numbers give the same bytes. Colours keep their contrast for
// colour-blind readers, and nothing is said by colour alone: bars carry labels,
// and a report puts the numbers in a table beside every figure.
//
// Lengths are points with the origin at the top left. Figures are about 520 points
// wide, so that their text stays legible on a telephone.
package figure

// Package figure draws the figures of balance reports: stacked bars of outcomes,
// forest plots (scores, differences, effects of rules, rankings), curves over
// budgets or training, survival curves, cumulative incidence, orders from agent to
// agent, boxes, and boards with traffic.
//
// A [Figure] is a value made from numbers; [Figure.SVG] gives a file of its own,
// [Figure.Inline] two drawings for an HTML page (each with a title and a
// description for screen readers, no outside reference), and [Figure.PNG] a
// bitmap. All come from one description through gonum/plot's vector graphics, and
// the same numbers give the same bytes.
//
// Every figure is laid out twice: [Width] points wide for pages, paper and files,
// and [NarrowWidth] wide for phones, where labels stand above what they name. On
// both sheets no letters are smaller than nine points and no two texts meet; the
// tests measure it. Colours keep their contrast on white and stay apart for readers
// without red or green cones, and nothing is said by colour alone: series differ by
// dash and mark, capped games are hatched, bars carry their percentages, and a
// report puts the numbers in a table beside every figure.
//
// Lengths are points with the origin at the top left.
package figure

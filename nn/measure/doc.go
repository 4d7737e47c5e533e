// Package measure times what package nn does: positions a CPU-second of a
// compiled network and of what it is compared with, training steps, and the
// arithmetic under both. latro bench net prints its figures.
//
// Times are CPU time of the whole process, which a busy machine distorts far less
// than the clock on the wall; [Workers] alone needs the clock. So nothing else
// should run in the process meanwhile. Figures of one process compare; figures of
// two machines do not. Nothing in this module chooses what it computes by a
// measurement: the table of methods (see nn.MethodFor) is text in the source,
// to which [Tune] proposes changes.
package measure

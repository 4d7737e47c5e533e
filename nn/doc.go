// Package nn is the policy/value network: its definition and training in
// Gorgonia, its compiled form for play, and its files.
//
// The package knows nothing of a game but its [Shape]: board size, numbers of
// input planes and global inputs, and the names of the action planes.
//
// # Use
//
//	cfg, _ := nn.ParsePreset("4x32")
//	net, _ := nn.New(cfg, shape, seed)        // random parameters
//	trainer, _ := nn.NewTrainer(net, nn.DefaultTrainConfig())
//	losses, err := trainer.Step(&batch)       // as often as you like
//	err = trainer.Network().Save("net.latro") // atomic, hashed
//
//	net, err := nn.Load("net.latro")
//	err = net.CheckShape(shape)               // does it fit the game?
//	inference, err := nn.Compile(net)         // once, shared
//	x := inference.NewInstance(32)            // one a goroutine
//	err = x.Run(n, obs, globals, out)         // no allocation
//
// # Architecture
//
// A 3×3 convolution reads the planes; the global inputs enter it as a bias per
// channel, through one linear layer (constant planes would cost more). N
// residual blocks of C channels follow, each
//
//	h = relu(conv1(x))
//	y = relu(x + conv2(h) + pool(h)·W)
//
// where the last term, in every second block and in the last, adds a linear
// function of the mean and maximum of h over the board to every square, so that
// the whole board is seen at once (global pooling as in KataGo, Wu 2020,
// arXiv:1902.10565, §3.3). The policy head is a 1×1 convolution with a pooled
// bias, a ReLU and a 1×1 convolution to one plane for each action plane; the
// logit of pass is linear in the pooled trunk. The value head goes from the
// pooled trunk through one hidden layer to win/draw/loss logits and the
// expected final material difference. No tensor depends on the board's size.
// Squares beyond the edge read as zeros; give the network an on-board plane.
//
// # Auxiliary heads
//
// A network with [Config].Auxiliary learns three things more about each position,
// from targets that a finished game holds anyway. They are never asked for in
// play; that the trunk must know them too is meant to make it a better one, as with
// KataGo's auxiliary targets (Wu 2019, arXiv:1902.10565, §3.4 and §4.1).
//
//	survival  for each square, whether the piece there now is still on the board
//	          when the game ends: per square the binary cross-entropy, averaged
//	          over the squares with a piece
//	plies     how long the game will last, as log(1 + plies left): Huber's loss
//	          with its bend at ½, whose slope is bounded and which minds
//	          proportions, not plies
//	reply     the policy of the opponent's next ply: cross-entropy over all
//	          actions, since which replies are legal depends on the ply before
//
// Survival and the reply's planes are linear in the trunk (one 1×1 convolution),
// the length and the reply's pass in the value head's hidden layer: small heads
// leave the learning to what play uses too, and cost little.
// [TrainConfig] weighs their losses, 0 by default, and [Batch] takes their targets,
// in the frame of the sample's mover. [Compile], [Graph] and package onnx pass over
// the heads, and [Network.Playing] drops them, to ship a network.
// [Network.Carry] adds them to a network that has none. A training step takes 5 to 8 %
// more with them (6x64 and 4x32, 8×7 and 8×8, batches of 128); BenchmarkTrainStep
// measures it.
//
// # No batch statistics
//
// Networks that normalise by the statistics of a batch play with other numbers
// than they train with. Here a layer has a learnt scale and bias per channel
// and an initialisation that keeps activations of order 1 at any depth (see
// [New]). Training and play compute the same function; a test compares them for
// many shapes to 1e-4.
//
// # Methods
//
// A 3×3 convolution can be computed as its definition reads, or by Winograd's
// minimal filtering with tiles of 2×2 to 4×4 squares, with down to a quarter of
// the multiplications. [MethodFor] says which method a layer uses: a committed
// table of boards and widths, and a count of operations for what is not in it.
// latro bench net --tune measures and proposes changes; nothing is ever measured
// when a network is loaded, because a method decides the last bits.
// [Inference.Plan] lists the layers with their methods. Training uses the same.
//
// With [CompileOptions].Arithmetic a network plays with products of 16-bit integers, [Int16]: faster where it is wide, and no
// longer within 1e-4 of what training computes.
//
// A search that asks about legal actions only uses [Instance.RunLegal], which computes no others.
//
// # Reproducibility
//
// A result of [Instance.Run] is bitwise independent of the batch around it. A
// training step is bitwise independent of the number of threads. Both depend on
// the arithmetic in use, which [KernelID] names: the family of kernels (assembly
// with fused multiply-add on x86-64 processors that have AVX2 and FMA; portable Go
// elsewhere and under the build tag purego, with the same bits on every
// architecture) and the table of methods; [Inference.KernelID] adds what [CompileOptions] changed.
//
// # Files
//
// [Network.Save] and [Trainer.SaveState] write a JSON header, the raw values and
// a SHA-256, atomically. Loading verifies the digest first and trusts no
// declared size, so that damaged or hostile files give [ErrDamaged],
// [ErrVersion] or [ErrNotCheckpoint] and nothing worse.
package nn

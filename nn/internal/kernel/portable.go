//go:build !amd64 || purego

package kernel

// ID names the family of kernels in use. Results are reproducible to the last
// bit between machines that report the same ID.
func ID() string { return PortableID }

func forwardBlock(a *blockArgs, index []int32) { forwardGeneric(a, index) }

func gradientBlock(a *gradientArgs) { gradientGeneric(a) }

func poolBoard(mean, top, src []float32, l *Layout, channels, b int) {
	poolGeneric(mean, top, src, l, channels, b)
}

func boardBias(dst, src, bias []float32, l *Layout, channels, b int) {
	boardBiasGeneric(dst, src, bias, l, channels, b)
}

func maskGradient(dz, grad, y []float32, l *Layout, channels, board int, relu bool, sums []float32) {
	maskGeneric(dz, grad, y, l, channels, board, relu, sums)
}

func (a *winogradArgs) input()              { a.inputGeneric() }
func (a *winogradArgs) multiply()           { a.multiplyGeneric() }
func (a *winogradArgs) output(from, to int) { a.outputGeneric(from, to) }

// HasWinogradGradient reports whether weight gradients can be computed by
// Winograd's method here: there are only assembly kernels for it.
func HasWinogradGradient() bool { return false }

func (g *WinogradGradient) toPoints(*GradientScratch, []float32, []float32, int, int, int) {
	panic("kernel: no Winograd gradient here")
}

func (g *WinogradGradient) correlate(*GradientScratch, int, int, int) {
	panic("kernel: no Winograd gradient here")
}

func (g *WinogradGradient) fromPoints([]float32, []float32, int, []float32) {
	panic("kernel: no Winograd gradient here")
}

func filterBlock([]float32, Tile, []float32, []int32, int, int, int, int, []float32) {
	panic("kernel: no assembly kernels here")
}

// native says that there are no assembly kernels.
const native = false

// PeakFlops is for assembly kernels; here it does nothing and returns 0.
func PeakFlops(int) int64 { return 0 }

func (a *winogradArgs) largest(b int) float32 { return a.largestGeneric(b) }

func (a *winogradArgs) shortBoard(b int) { a.shortBoardGeneric(b) }

func (a *winogradArgs) multiplyShort() { a.multiplyShortGeneric() }

//go:build amd64 && !purego

package kernel

// ID names the family of kernels in use. Results are reproducible to the last
// bit between machines that report the same ID.
func ID() string { return "portable-1" }

func forwardBlock(a *blockArgs, index []int32) { forwardGeneric(a, index) }

func gradientBlock(a *gradientArgs) { gradientGeneric(a) }

//go:build !amd64 || purego

package kernel

// ID names the family of kernels in use. Results are reproducible to the last
// bit between machines that report the same ID.
func ID() string { return portableID }

func forwardBlock(a *blockArgs, index []int32) { forwardGeneric(a, index) }

func gradientBlock(a *gradientArgs) { gradientGeneric(a) }

// PeakFlops is for assembly kernels; here it does nothing and returns 0.
func PeakFlops(int) int64 { return 0 }

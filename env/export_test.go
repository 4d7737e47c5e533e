package env

import (
	"encoding/binary"
	"hash/crc32"
)

// SealBinary puts the magic, the version and the right checksum around a body, so that fuzzing reaches what
// lies behind them.
func SealBinary(body []byte) []byte {
	b := append([]byte(binaryMagic), binaryVersion)
	b = append(b, body...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

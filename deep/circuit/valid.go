package circuit

import (
	"fmt"
	"math/bits"
)

// Valid has a bit for each coefficient of a merged ciphertext that holds a reading, the lowest bit of a byte first.
type Valid []byte

func (v Valid) check(degree int) error {
	switch {
	case len(v)*8 != degree:
		return fmt.Errorf("valid: %d bytes; allowed are %d", len(v), degree/8)
	case v.readings() == 0:
		return fmt.Errorf("valid: no reading; allowed are 1 to %d", degree)
	}
	return nil
}

func (v Valid) readings() int {
	total := 0
	for _, eight := range v {
		total += bits.OnesCount8(eight)
	}
	return total
}

func (v Valid) at(coefficient int) bool { return v[coefficient/8]>>(coefficient%8)&1 == 1 }

// vectors are a factor and a summand for each slot, both zero where no reading is.
func (v Valid) vectors(logSlots, half int, factor, summand float64) (mask, shift []float64) {
	count := 1 << logSlots
	mask, shift = make([]float64, count), make([]float64, count)
	for p := 0; p < count; p++ {
		coefficient := half*count + p
		if v.at(coefficient) {
			slot := bits.Reverse64(uint64(p)) >> (64 - logSlots)
			mask[slot], shift[slot] = factor, summand
		}
	}
	return mask, shift
}

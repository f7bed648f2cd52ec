package main

import (
	"math/big"
	"math/bits"
)

func multiply(a, b, q uint64) uint64 {
	high, low := bits.Mul64(a, b)
	_, remainder := bits.Div64(high, low, q)
	return remainder
}

func power(base, exponent, q uint64) uint64 {
	result := uint64(1)
	for ; exponent > 0; exponent >>= 1 {
		if exponent&1 == 1 {
			result = multiply(result, base, q)
		}
		base = multiply(base, base, q)
	}
	return result
}

// minimalRoot is the smallest primitive 2n-th root of unity modulo q, which SEAL's transform is made from.
func minimalRoot(n int, q uint64) uint64 {
	order := uint64(2 * n)
	for base := uint64(2); ; base++ {
		root := power(base, (q-1)/order, q)
		if power(root, order/2, q) != q-1 {
			continue
		}
		smallest, square := root, multiply(root, root, q)
		for i := 1; i < n; i++ {
			root = multiply(root, square, q)
			smallest = min(smallest, root)
		}
		return smallest
	}
}

func reversed(i, bitCount int) int {
	return int(bits.Reverse64(uint64(i)) >> (64 - bitCount))
}

// coefficients undoes SEAL's transform: values[i] is the polynomial at root^(2*reversed(i)+1).
func coefficients(values []uint64, q uint64) []uint64 {
	n := len(values)
	logN := bits.Len(uint(n)) - 1
	root := minimalRoot(n, q)
	inverse := new(big.Int).ModInverse(new(big.Int).SetUint64(root), new(big.Int).SetUint64(q)).Uint64()
	x := append([]uint64(nil), values...)
	for length := 1; length < n; length *= 2 {
		blocks := n / (2 * length)
		for block := 0; block < blocks; block++ {
			twiddle := power(inverse, uint64(reversed(blocks+block, logN)), q)
			for i := block * 2 * length; i < block*2*length+length; i++ {
				a, b := x[i], x[i+length]
				x[i] = (a + b) % q
				x[i+length] = multiply((a+q-b)%q, twiddle, q)
			}
		}
	}
	scale := power(uint64(n), q-2, q)
	for i := range x {
		x[i] = multiply(x[i], scale, q)
	}
	return x
}

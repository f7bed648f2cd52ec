//go:build !insecure

package size

import (
	"math/big"
	"strings"
	"testing"
)

func TestTestRingsAreNotInPrograms(t *testing.T) {
	if _, err := ByName("insecure-12"); err == nil || !strings.Contains(err.Error(), "allowed are deep-15, deep-16") {
		t.Error(err)
	}
}

func TestSizesAreWithinTheirLabels(t *testing.T) {
	// Label 128 of degree 2^15 ends at 868 bits (spec/security-table.toml). Twice the degree allows at least twice the bits.
	limits := map[int]int{15: 868, 16: 2 * 868}
	for name, chosen := range sizes {
		ring, err := chosen.Ring()
		if err != nil {
			t.Fatal(name, err)
		}
		product := new(big.Int).Mul(ring.Parameters.QBigInt(), ring.Parameters.PBigInt())
		if product.BitLen() > limits[chosen.LogN] {
			t.Errorf("%s: log2 QP %d; allowed are %d", name, product.BitLen(), limits[chosen.LogN])
		}
		answers := new(big.Int).Mul(big.NewInt(AnswerModulus), big.NewInt(AnswerSpecial))
		if answers.BitLen() > 53 {
			t.Errorf("answers: %d bits under a key of degree 2048; allowed are 53", answers.BitLen())
		}
		if ring.Modulus() < FrameModulus || ring.Modulus()>>61 != 0 {
			t.Errorf("%s: q0 %d", name, ring.Modulus())
		}
		t.Logf("%s: q0 %d, log2 QP %d, %d rotations, parameters %x, %s", name, ring.Modulus(), product.BitLen(), len(ring.Rotations()),
			ring.Digest(), ring.Label())
	}
}

func TestMemoryIsNoPartOfTheDigest(t *testing.T) {
	ring, err := sizes["deep-16"].Ring()
	if err != nil {
		t.Fatal(err)
	}
	before := ring.Digest()
	ring.Memory++
	if ring.Digest() != before {
		t.Error("keys would have to be made again for another limit of memory")
	}
	ring.Levels++
	if ring.Digest() == before {
		t.Error("keys of another number of levels have the same digest")
	}
}

package main

import (
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
)

// integers holds a BFV set and its key as Lattigo has them: its bgv package decrypts both schemes.
type integers struct {
	set    set
	params bgv.Parameters
	key    *rlwe.SecretKey
}

func newIntegers(folder string, s set) (*integers, error) {
	params, err := bgv.NewParametersFromLiteral(bgv.ParametersLiteral{
		LogN: bits.Len(uint(s.ringDegree)) - 1, Q: s.chain, PlaintextModulus: s.plainModulus})
	if err != nil {
		return nil, err
	}
	key, err := loadSecretKey(folder, s, params)
	return &integers{s, params, key}, err
}

// scale: SEAL sends round(Q*m/t), which is (-Q*m mod t) / t modulo Q; Lattigo sends scale*m / t.
func (d *integers) scale(primes int) rlwe.Scale {
	t := d.set.plainModulus
	q := uint64(1)
	for _, prime := range d.set.chain[:primes] {
		q = multiply(q, prime%t, t)
	}
	return rlwe.NewScaleModT(t-q, t)
}

func (d *integers) slots(folder, name string) (any, error) {
	words, err := readCiphertext(folder, name)
	if err != nil {
		return nil, err
	}
	level := words.primes - 1
	ringQ := d.params.RingQ().AtLevel(level)
	ciphertext := bgv.NewCiphertext(d.params, 1, level)
	ciphertext.Scale = d.scale(words.primes)
	ciphertext.IsBatched = false
	for i := range ciphertext.Value {
		for j := range ciphertext.Value[i].Coeffs {
			copy(ciphertext.Value[i].Coeffs[j], words.residues(i, j))
		}
		ringQ.NTT(ciphertext.Value[i], ciphertext.Value[i])
	}
	plaintext := rlwe.NewDecryptor(d.params, d.key).DecryptNew(ciphertext)
	coefficients := make([]uint64, d.params.N())
	if err := bgv.NewEncoder(d.params).Decode(plaintext, coefficients); err != nil {
		return nil, err
	}
	return d.firstSlots(coefficients, 8), nil
}

// firstSlots by definition: slot j is the value at the power 3^j of SEAL's root modulo t.
func (d *integers) firstSlots(coefficients []uint64, count int) []int64 {
	t := d.set.plainModulus
	root := minimalRoot(len(coefficients), t)
	slots := make([]int64, count)
	for j := range slots {
		x, power := uint64(0), uint64(1)
		for _, coefficient := range coefficients {
			x = (x + multiply(coefficient, power, t)) % t
			power = multiply(power, root, t)
		}
		slots[j] = centred(x, t)
		root = cube(root, t)
	}
	return slots
}

func cube(x, t uint64) uint64 { return multiply(multiply(x, x, t), x, t) }

func centred(x, t uint64) int64 {
	value := int64(x)
	if x > t/2 {
		value -= int64(t)
	}
	return value
}

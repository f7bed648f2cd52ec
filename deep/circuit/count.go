package circuit

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"

	"isopod/deep/size"
)

// LogAnswerScale is the scale at which a mean of the slots of one ciphertext leaves modulo the prime of answers. The mean is 4
// where all readings of both halves count, and the owner reads numbers up to a quarter of the modulus. Twice as many ciphertexts
// leave at half the scale.
const LogAnswerScale = 25

// MostCiphertexts are counted together. The sum of their means, at the scale of the levels, stays far below q0.
const MostCiphertexts = 1 << 12

// Count asks how many readings are above a threshold.
type Count struct {
	// Threshold and Range are in units of a coefficient modulo q: |coefficient - Threshold| <= Range for every reading.
	Threshold, Range float64
	// Below asks for readings below the threshold instead.
	Below bool
	// Ciphertexts that are counted together.
	Ciphertexts int
}

// Answer is a ciphertext under the frames' key: coefficient 0 of a polynomial modulo q, and c1.
type Answer struct {
	C0 uint64
	C1 []uint64
	// Scale is what 1 is multiplied by.
	Scale float64
}

func (j *Count) check() error {
	limit := float64(size.FrameModulus)
	switch {
	case !(math.Abs(j.Threshold) <= limit):
		return fmt.Errorf("threshold: %g; allowed are -%g to %g", j.Threshold, limit, limit)
	case !(j.Range >= 1 && j.Range <= 2*limit):
		return fmt.Errorf("range: %g; allowed are 1 to %g", j.Range, 2*limit)
	case j.Ciphertexts < 1 || j.Ciphertexts > MostCiphertexts:
		return fmt.Errorf("ciphertexts: %d; allowed are 1 to %d", j.Ciphertexts, MostCiphertexts)
	}
	return nil
}

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

// Counting is a count on its way: ciphertexts are added one by one, and memory does not grow with their number.
type Counting struct {
	Count
	circuit  *Circuit
	total    *rlwe.Ciphertext
	readings int
}

// Start begins a count.
func (j Count) Start(c *Circuit) (*Counting, error) {
	return &Counting{Count: j, circuit: c}, j.check()
}

// Add counts one ciphertext. A slot of no reading becomes 0 before anything else, and its sign is 0.
func (j *Counting) Add(valid Valid, c0, c1 []uint64) error {
	c := j.circuit
	if err := valid.check(c.ring.Parameters.N()); err != nil {
		return err
	}
	slots, err := c.ToSlots(c0, c1)
	if err != nil {
		return err
	}
	if err := c.Stage(StagePolynomials); err != nil {
		return err
	}
	for half, ciphertext := range slots.Halves {
		sign, err := j.sign(valid, ciphertext, half, slots.Unit)
		if err != nil {
			return err
		}
		if j.total == nil {
			j.total = sign
		} else if err := c.evaluator.Evaluator.Add(j.total, sign, j.total); err != nil {
			return err
		}
	}
	j.readings += valid.readings()
	return nil
}

// Answer is the count of everything that was added.
func (j *Counting) Answer() (*Answer, error) {
	c := j.circuit
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	// The mean of all slots is the constant coefficient: (readings + sum of signs) / slots is twice the answer over the slots.
	half := float64(c.ring.Parameters.MaxSlots())
	if err := c.evaluator.Evaluator.Add(j.total, float64(j.readings)/half, j.total); err != nil {
		return nil, err
	}
	answer, err := c.answer(j.total, LogAnswerScale-bits.Len(uint(j.Ciphertexts-1)))
	if err != nil {
		return nil, err
	}
	answer.Scale *= 2 / half
	return answer, nil
}

// sign computes signs of (reading - threshold) / range in one half; the other direction changes the factor alone.
func (j *Counting) sign(valid Valid, ciphertext *rlwe.Ciphertext, half int, unit float64) (*rlwe.Ciphertext, error) {
	parameters, evaluator := j.circuit.ring.Parameters, j.circuit.evaluator.Evaluator
	factor := 1 / j.Range
	if j.Below {
		factor = -factor
	}
	mask, shift := valid.vectors(parameters.LogN()-1, half, factor/unit, -j.Threshold*factor)
	encoder := ckks.NewEncoder(parameters)
	plaintext := ckks.NewPlaintext(parameters, ciphertext.Level())
	plaintext.Scale = rlwe.NewScale(parameters.Q()[ciphertext.Level()])
	if err := encoder.Encode(mask, plaintext); err != nil {
		return nil, err
	}
	x, err := evaluator.MulNew(ciphertext, plaintext)
	if err != nil {
		return nil, err
	}
	if err := evaluator.Rescale(x, x); err != nil {
		return nil, err
	}
	if err := evaluator.Add(x, shift, x); err != nil {
		return nil, err
	}
	polynomials := polynomial.NewEvaluator(parameters, evaluator)
	for _, sign := range signPolynomials() {
		if x, err = polynomials.Evaluate(x, sign, parameters.DefaultScale()); err != nil {
			return nil, err
		}
	}
	return x, nil
}

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

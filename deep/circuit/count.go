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

// LogAnswerScale is the scale at which a mean of slots leaves modulo the prime of answers. The mean is 4 where all readings of
// both halves count, and the owner reads numbers up to a quarter of the modulus.
const LogAnswerScale = 25

// Count asks how many readings are above a threshold.
type Count struct {
	// Threshold and Range are in units of a coefficient modulo q: |coefficient - Threshold| <= Range for every reading.
	Threshold, Range float64
	// Below asks for readings below the threshold instead.
	Below bool
	// Valid has a bit for each coefficient of the merged ciphertext, the lowest bit of a byte first.
	Valid []byte
}

// Answer is a ciphertext under the frames' key: coefficient 0 of a polynomial modulo q, and c1.
type Answer struct {
	C0 uint64
	C1 []uint64
	// Scale is what 1 is multiplied by.
	Scale float64
}

func (j *Count) check(degree int) error {
	limit := float64(size.FrameModulus)
	switch {
	case len(j.Valid)*8 != degree:
		return fmt.Errorf("valid: %d bytes; allowed are %d", len(j.Valid), degree/8)
	case !(math.Abs(j.Threshold) <= limit):
		return fmt.Errorf("threshold: %g; allowed are -%g to %g", j.Threshold, limit, limit)
	case !(j.Range >= 1 && j.Range <= 2*limit):
		return fmt.Errorf("range: %g; allowed are 1 to %g", j.Range, 2*limit)
	case j.readings() == 0:
		return fmt.Errorf("valid: no reading; allowed are 1 to %d", degree)
	}
	return nil
}

func (j *Count) readings() int {
	total := 0
	for _, eight := range j.Valid {
		total += bits.OnesCount8(eight)
	}
	return total
}

// Run counts. A slot of no reading becomes 0 before anything else, and its sign is 0.
func (j *Count) Run(c *Circuit, c0, c1 []uint64) (*Answer, error) {
	if err := j.check(c.ring.Parameters.N()); err != nil {
		return nil, err
	}
	slots, err := c.ToSlots(c0, c1)
	if err != nil {
		return nil, err
	}
	if err := c.Stage(StagePolynomials); err != nil {
		return nil, err
	}
	var total *rlwe.Ciphertext
	for half, ciphertext := range slots.Halves {
		sign, err := j.sign(c, ciphertext, half, slots.Unit)
		if err != nil {
			return nil, err
		}
		if total == nil {
			total = sign
		} else if err := c.evaluator.Evaluator.Add(total, sign, total); err != nil {
			return nil, err
		}
	}
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	// The mean of all slots is the constant coefficient: (readings + sum of signs) / slots is twice the answer over the slots.
	half := float64(c.ring.Parameters.MaxSlots())
	if err := c.evaluator.Evaluator.Add(total, float64(j.readings())/half, total); err != nil {
		return nil, err
	}
	answer, err := c.answer(total)
	if err != nil {
		return nil, err
	}
	answer.Scale *= 2 / half
	return answer, nil
}

// sign computes signs of (reading - threshold) / range in one half; the other direction changes the factor alone.
func (j *Count) sign(c *Circuit, ciphertext *rlwe.Ciphertext, half int, unit float64) (*rlwe.Ciphertext, error) {
	parameters, evaluator := c.ring.Parameters, c.evaluator.Evaluator
	factor := 1 / j.Range
	if j.Below {
		factor = -factor
	}
	mask, shift := j.vectors(parameters.LogN()-1, half, factor/unit, -j.Threshold*factor)
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
func (j *Count) vectors(logSlots, half int, factor, summand float64) (mask, shift []float64) {
	count := 1 << logSlots
	mask, shift = make([]float64, count), make([]float64, count)
	for p := 0; p < count; p++ {
		coefficient := half*count + p
		if j.Valid[coefficient/8]>>(coefficient%8)&1 == 1 {
			slot := bits.Reverse64(uint64(p)) >> (64 - logSlots)
			mask[slot], shift[slot] = factor, summand
		}
	}
	return mask, shift
}

package circuit

import (
	"math"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"

	"isopod/deep/size"
)

// Answer is a ciphertext modulo q. A number is coefficient 0 of it under the frames' key s: one coefficient of c0, and all of c1.
// Values of readings are all coefficients under s(X^k) in the large ring.
type Answer struct {
	C0, C1 []uint64
	// Scale is what 1 is multiplied by.
	Scale float64
}

// sum adds a ciphertext to a total, which may be none, and gives the total.
func (c *Circuit) sum(total, more *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	if total == nil {
		return more, nil
	}
	return total, c.evaluator.Evaluator.Add(total, more, total)
}

// number takes the constant coefficient of a ciphertext to the frames' key, modulo q, at about this scale.
func (c *Circuit) number(total *rlwe.Ciphertext, logScale float64) (*Answer, error) {
	whole, err := c.answer(total, logScale)
	if err != nil {
		return nil, err
	}
	number := &Answer{C0: whole.C0[:1], C1: make([]uint64, size.FrameDegree), Scale: whole.Scale}
	for j := range number.C1 {
		number.C1[j] = whole.C1[j*c.ring.Step()]
	}
	return number, nil
}

// answer takes all coefficients of a ciphertext to s(X^k), modulo q, at about this scale.
func (c *Circuit) answer(total *rlwe.Ciphertext, logScale float64) (*Answer, error) {
	c.evaluator.Evaluator.DropLevel(total, total.Level())
	scale := c.enlarge(total, logScale)
	switched, err := c.underFrames(total)
	if err != nil {
		return nil, err
	}
	for _, coefficients := range switched {
		for j, coefficient := range coefficients {
			coefficients[j] = rescaled(coefficient, size.AnswerModulus, size.FrameModulus)
		}
	}
	return &Answer{C0: switched[0], C1: switched[1], Scale: scale}, nil
}

// enlarge multiplies by an integer, so that the division by q0 / q leaves about 2^logScale, and tells what it leaves.
func (c *Circuit) enlarge(total *rlwe.Ciphertext, logScale float64) float64 {
	scale := total.Scale.Float64() * float64(size.FrameModulus) / float64(c.ring.Modulus())
	factor := math.Max(1, math.Round(math.Exp2(logScale)/scale))
	lowest := c.ring.Parameters.RingQ().AtLevel(0)
	for i := range total.Value {
		lowest.MulScalar(total.Value[i], uint64(factor), total.Value[i])
	}
	return scale * factor
}

// underFrames goes from S modulo q0 to s(X^k) modulo the prime of answers, in coefficients.
func (c *Circuit) underFrames(total *rlwe.Ciphertext) ([2][]uint64, error) {
	lowest, small := c.ring.Parameters.RingQ().AtLevel(0), c.ring.Answers.RingQ()
	ciphertext := rlwe.NewCiphertext(c.ring.Answers, 1, 0)
	ciphertext.IsNTT = true
	for i := range total.Value {
		coefficients := lowest.NewPoly()
		lowest.INTT(total.Value[i], coefficients)
		for j, coefficient := range coefficients.Coeffs[0] {
			ciphertext.Value[i].Coeffs[0][j] = rescaled(coefficient, c.ring.Modulus(), size.AnswerModulus)
		}
		small.NTT(ciphertext.Value[i], ciphertext.Value[i])
	}
	if err := c.answers.ApplyEvaluationKey(ciphertext, c.toFrames, ciphertext); err != nil {
		return [2][]uint64{}, err
	}
	var switched [2][]uint64
	for i := range switched {
		coefficients := small.NewPoly()
		small.INTT(ciphertext.Value[i], coefficients)
		switched[i] = coefficients.Coeffs[0]
	}
	return switched, nil
}

// rescaled is a coefficient modulo `from` times to / from, rounded, modulo `to`.
func rescaled(coefficient, from, to uint64) uint64 {
	high, low := bits.Mul64(coefficient, to)
	low, carry := bits.Add64(low, from/2, 0)
	quotient, _ := bits.Div64(high+carry, low, from)
	return quotient % to
}

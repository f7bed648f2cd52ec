package circuit

import (
	"math"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"

	"isopod/deep/size"
)

// Answer is a ciphertext under the frames' key: coefficient 0 of a polynomial modulo q, and c1.
type Answer struct {
	C0 uint64
	C1 []uint64
	// Scale is what 1 is multiplied by.
	Scale float64
}

// answer takes the constant coefficient of a ciphertext to the frames' key, modulo q, at about this scale.
func (c *Circuit) answer(total *rlwe.Ciphertext, logScale int) (*Answer, error) {
	evaluator := c.evaluator.Evaluator
	evaluator.DropLevel(total, total.Level())
	scale := c.enlarge(total, logScale)
	switched, err := c.underFrames(total)
	if err != nil {
		return nil, err
	}
	step := c.ring.Step()
	answer := &Answer{C0: rescaled(switched[0][0], size.AnswerModulus, size.FrameModulus),
		C1: make([]uint64, size.FrameDegree), Scale: scale}
	for j := range answer.C1 {
		answer.C1[j] = rescaled(switched[1][j*step], size.AnswerModulus, size.FrameModulus)
	}
	return answer, nil
}

// enlarge multiplies by an integer, so that the division by q0 / q leaves about 2^logScale, and tells what it leaves.
func (c *Circuit) enlarge(total *rlwe.Ciphertext, logScale int) float64 {
	scale := total.Scale.Float64() * float64(size.FrameModulus) / float64(c.ring.Modulus())
	factor := math.Max(1, math.Round(math.Exp2(float64(logScale))/scale))
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

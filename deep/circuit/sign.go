package circuit

import (
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"
)

// Gap is the smallest distance from a threshold, as a share of the range, at which the sign is right.
const Gap = 1.0 / 256

// SignError bounds |sign(x) - signum x| for Gap <= |x| <= 1. A test proves it from the coefficients below.
const SignError = 2e-4

// signs are the odd coefficients, in the Chebyshev basis, of three polynomials of degree 15. Each is the best approximation of 1
// on the image of the one before, by linear programming over 6,000 points. The first two are divided by their largest value plus
// 2e-4, so that noise does not leave [-1, 1].
var signs = [][]float64{
	{
		0.66814152037022745, -0.22406693699954616, 0.13612097003003396, -0.09913514483839421,
		0.079254280503843061, -0.067297291070423107, 0.059822544204369221, -0.50400748839730003,
	},
	{
		0.95645014048420518, -0.31812524835430983, 0.1900837767535567, -0.13499976560373703,
		0.10431738446626498, -0.084832610439848799, 0.07153495478963072, -0.28147485894199609,
	},
	{
		1.2546617186241578, -0.37148933616154589, 0.17498339364397417, -0.085751820414444638,
		0.039174407799591693, -0.015522262233468379, 0.004859424764402898, -0.00097449820449676075,
	},
}

// signPolynomials are the polynomials in Lattigo's form.
func signPolynomials() []bignum.Polynomial {
	polynomials := make([]bignum.Polynomial, len(signs))
	for i, odd := range signs {
		coefficients := make([]float64, 2*len(odd))
		for j, coefficient := range odd {
			coefficients[2*j+1] = coefficient
		}
		polynomials[i] = bignum.NewPolynomial(bignum.Chebyshev, coefficients, [2]float64{-1, 1})
		polynomials[i].IsEven = false
		for j := 0; j < len(coefficients); j += 2 {
			polynomials[i].Coeffs[j] = nil
		}
	}
	return polynomials
}

// sign computes signs of (reading - threshold) / range in one half.
func (c *Circuit) sign(edge Edge, valid Valid, slots *Slots, half int) (*rlwe.Ciphertext, error) {
	parameters, evaluator := c.ring.Parameters, c.evaluator.Evaluator
	x, err := c.scaled(valid, slots, half, edge)
	if err != nil {
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

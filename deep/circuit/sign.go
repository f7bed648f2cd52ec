package circuit

import (
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"
)

// Gap is the smallest distance from a threshold, as a share of the range, at which the most precise sign is right.
const Gap = 1.0 / 256

// SignError bounds |sign(x) - signum x| for Gap <= |x| <= 1. A test proves it from the coefficients below.
const SignError = 2e-4

// coarseError bounds the error of each of the other signs likewise.
const coarseError = 1.5e-3

// signs is a sign of so many levels, made of several polynomials.
type signs struct {
	gap, error float64
	// odd are the odd coefficients in the Chebyshev basis. Each polynomial is the best approximation of 1 on the image of the one
	// before, by linear programming over thousands of points. All but the last one are divided by their largest value plus 2e-4,
	// so that noise does not leave [-1, 1].
	odd [][]float64
}

// FewestSignLevels and MostSignLevels are the levels of the signs that there are.
const (
	FewestSignLevels = 8
	MostSignLevels   = 12
)

// signsOf levels.
var signsOf = map[int]signs{
	8: {gap: 1.0 / 32, error: coarseError, odd: [][]float64{
		{
			0.8597783242625671, -0.28696267514532875, 0.17266569161137243, -0.12394116557502201, 0.0971672871957526,
			-0.08049701685010646, 0.069446196232226, -0.3571966689865531,
		},
		{
			1.2610040349602971, -0.3888667387614871, 0.19906612108437663, -0.11110033991614622, 0.06105338156322353,
			-0.031198494635330167, 0.013944105695117151, -0.005160656024441672,
		},
	}},
	9: {gap: 1.0 / 64, error: coarseError, odd: [][]float64{
		{
			0.7561693834357208, -0.25309648943791185, 0.15315693830951405, -0.11088930403605606, 0.08795260042235109,
			-0.07394663720440746, 0.0649517033711714, -0.43699566042039995,
		},
		{
			1.2700109943694247, -0.41481003804658806, 0.2389136395255278, -0.160418745289828, 0.11478358670778736,
			-0.08447650523607847, 0.06279157727353274, -0.04660986701534339, 0.03427077585925245, -0.024789206799544824,
			0.017522481882545602, -0.012013949289050117, 0.007914774730732524, -0.004943328984466797, 0.002864086670658044,
			-0.0018769104072303784,
		},
	}},
	10: {gap: 1.0 / 128, error: coarseError, odd: [][]float64{
		{
			0.7594473818936096, -0.2533884638867108, 0.15231896835385558, -0.10911216837203241, 0.08519521481019408,
			-0.070052951414839, 0.05964720525317622, -0.05207879910155006, 0.046363992362427345, -0.04191806019094846,
			0.03839926581172938, -0.03556719501725085, 0.03327168032286342, -0.03141598485545391, 0.029925344547910872,
			-0.41811530327286106,
		},
		{
			1.2698972930629564, -0.4144752561723448, 0.23837628611309966, -0.15970805494648696, 0.11393723731224946,
			-0.08353791275749177, 0.061806526618784705, -0.04562331801365819, 0.033323896770775074, -0.023916803659034678,
			0.016751140505049476, -0.011360918132418242, 0.007387739129956157, -0.004541043232016605, 0.002577612469135597,
			-0.0016073978517537266,
		},
	}},
	11: {gap: 1.0 / 176, error: coarseError, odd: [][]float64{
		{
			0.6819953407978359, -0.228648168997905, 0.1388241081713042, -0.10101856104486424, 0.08066631602343961,
			-0.06839861753530148, 0.06069683056445815, -0.49350123848180605,
		},
		{
			1.048076037786936, -0.34700591352132737, 0.205425480671485, -0.14383807037791493, 0.10900231494673052,
			-0.08643576427193721, 0.07061944514999545, -0.20797131977057476,
		},
		{
			1.2266159871329259, -0.3007033095815186, 0.09219388841444266, -0.019269292329624467,
		},
	}},
	MostSignLevels: {gap: Gap, error: SignError, odd: [][]float64{
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
	}},
}

// polynomials are in Lattigo's form, the last one times a factor.
func (s signs) polynomials(factor float64) []bignum.Polynomial {
	polynomials := make([]bignum.Polynomial, len(s.odd))
	for i, odd := range s.odd {
		coefficients := make([]float64, 2*len(odd))
		for j, coefficient := range odd {
			if i+1 == len(s.odd) {
				coefficient *= factor
			}
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

// sign computes signs of (reading - threshold) / range in one half, and that of another number in slots of no reading.
func (c *Circuit) sign(edge Edge, valid Valid, slots *Slots, half int, none float64) (*rlwe.Ciphertext, error) {
	x, err := c.scaled(valid, slots, half, edge, none)
	if err != nil {
		return nil, err
	}
	return c.signOf(x, signsOf[MostSignLevels], 1)
}

// signOf is a factor times the sign of numbers from -1 to 1.
func (c *Circuit) signOf(x *rlwe.Ciphertext, of signs, factor float64) (*rlwe.Ciphertext, error) {
	parameters := c.ring.Parameters
	polynomials := polynomial.NewEvaluator(parameters, c.evaluator.Evaluator)
	for _, sign := range of.polynomials(factor) {
		var err error
		if x, err = polynomials.Evaluate(x, sign, parameters.DefaultScale()); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// at evaluates the sign in the clear.
func (s signs) at(x float64) float64 {
	for _, odd := range s.odd {
		coefficients := make([]float64, 2*len(odd))
		for j, coefficient := range odd {
			coefficients[2*j+1] = coefficient
		}
		x = chebyshev(coefficients, x)
	}
	return x
}

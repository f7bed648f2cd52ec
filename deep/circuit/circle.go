package circuit

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	basis "github.com/tuneinsight/lattigo/v6/circuits/common/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"

	"isopod/deep/size"
)

// exponentialTerms is the number of coefficients of exp(2 pi i x / 2^squarings), for a depth of 5.
const exponentialTerms = 32

// ExponentialError bounds the error of exp(2 pi i x) by its series, squared three times. A test measures it.
const ExponentialError = 1e-9

// turns are points exp(2 pi i x) in the slots of both halves, where x is a coefficient over the modulus.
type turns pair

// turned multiplies coefficients by an integer modulo q0, and puts exp(2 pi i x) of each into its slot. The exponential takes the
// levels of the sine, since both are a polynomial of depth 5 and three squarings; but its x may be anywhere from -1/2 to 1/2.
func (c *Circuit) turned(valid Valid, multiplier uint64, c0, c1 []uint64) (turns, error) {
	halves, err := c.halves(valid, c.multiplied(c0, multiplier), c.multiplied(c1, multiplier))
	if err != nil {
		return turns{}, err
	}
	var points turns
	for half, ciphertext := range halves {
		if points[half], err = c.exponential(ciphertext); err != nil {
			return turns{}, err
		}
		if points[half].Level() != c.ring.Levels {
			return turns{}, fmt.Errorf("level: %d; allowed is %d", points[half].Level(), c.ring.Levels)
		}
	}
	return points, nil
}

// multiplied is a polynomial times an integer, modulo q0.
func (c *Circuit) multiplied(coefficients []uint64, by uint64) []uint64 {
	modulus := c.ring.Modulus()
	constant := ring.GenBRedConstant(modulus)
	product := make([]uint64, len(coefficients))
	for j, coefficient := range coefficients {
		product[j] = ring.BRed(coefficient, by, modulus, constant)
	}
	return product
}

// exponential is exp(2 pi i x) of x / K in the slots, at the scale of the levels.
func (c *Circuit) exponential(ciphertext *rlwe.Ciphertext) (*rlwe.Ciphertext, error) {
	sine, parameters := c.evaluator.Mod1Parameters, c.ring.Parameters
	evaluator := c.evaluator.Evaluator
	if ciphertext.Level() < sine.LevelQ {
		return nil, fmt.Errorf("level: %d; allowed are %d or more", ciphertext.Level(), sine.LevelQ)
	}
	evaluator.DropLevel(ciphertext, ciphertext.Level()-sine.LevelQ)
	ciphertext.Scale = sine.ScalingFactor()
	// Squares of a scale are rescaled by a prime; after the last one it is that of the levels.
	scale := parameters.DefaultScale()
	for i := range sine.DoubleAngle {
		scale = scale.Mul(rlwe.NewScale(parameters.Q()[c.ring.Levels+1+i]))
		scale.Value.Sqrt(&scale.Value)
	}
	series := bignum.NewPolynomial(bignum.Chebyshev, exponentialSeries(sine.K, sine.DoubleAngle), [2]float64{-1, 1})
	x, err := polynomial.NewEvaluator(parameters, evaluator).Evaluate(ciphertext, series, scale)
	if err != nil {
		return nil, err
	}
	for range sine.DoubleAngle {
		if err := evaluator.MulRelin(x, x, x); err != nil {
			return nil, err
		}
		if err := evaluator.Rescale(x, x); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// exponentialSeries are coefficients in the Chebyshev basis of exp(2 pi i most u / 2^squarings), |u| <= 1: those of exp(i z u)
// are i^n J_n(z), twice from n = 1 on.
func exponentialSeries(most float64, squarings int) []complex128 {
	z := 2 * math.Pi * math.Ldexp(most, -squarings)
	series, power := make([]complex128, exponentialTerms), complex(1, 0)
	for n := range series {
		series[n] = power * complex(2*math.Jn(n, z), 0)
		power *= complex(0, 1)
	}
	series[0] /= 2
	return series
}

// Grid places the entries of tables on the circle.
type Grid struct {
	// Multiplier is what coefficients are multiplied by, modulo q.
	Multiplier uint64
	// Spacing of neighbouring entries, in turns.
	Spacing float64
	// First is the number of the first entry; entry 0 is at no turn.
	First int
	// Entries that there are.
	Entries int
}

// MostPeriod is the largest number of entries that fill a turn.
const MostPeriod = 1 << 10

// Period is the number of entries that fill a turn.
func (g Grid) Period() int { return int(math.Round(1 / g.Spacing)) }

// turn is the place of an entry.
func (g Grid) turn(entry int) float64 { return float64(g.First+entry) * g.Spacing }

func (g Grid) check() error {
	const room = 1.0 / 1024
	switch {
	case g.Multiplier < 1 || g.Multiplier >= size.FrameModulus:
		return fmt.Errorf("multiplier: %d; allowed are 1 to %d", g.Multiplier, size.FrameModulus-1)
	case !(g.Spacing <= 0.5+room && g.Spacing >= (1-room)/MostPeriod):
		return fmt.Errorf("spacing: %g; allowed are 1/2 to 1/%d", g.Spacing, MostPeriod)
	case g.Entries < 2 || float64(g.Entries)*g.Spacing > 1+room:
		return fmt.Errorf("entries: %d; allowed are 2 to %d", g.Entries, g.Period())
	case g.First < -MostPeriod || g.First > MostPeriod:
		return fmt.Errorf("first: %d; allowed are %d to %d", g.First, -MostPeriod, MostPeriod)
	}
	return nil
}

// series are coefficients c with Re sum c_j exp(2 pi i j x) equal to the value of each entry at its place, where the derivative
// is zero, or small where places are not even: 1/2, and a sum of Fejér's kernels, one at each entry times its height.
func (g Grid) series(values []float64) []complex128 {
	period, heights := g.Period(), g.heights(values)
	series := make([]complex128, period)
	for j := range series {
		sum := complex(0, 0)
		for entry, height := range heights {
			sine, cosine := math.Sincos(-2 * math.Pi * float64(j) * g.turn(entry))
			sum += complex(height*cosine, height*sine)
		}
		weight := 2 * (1 - float64(j)/float64(period)) / float64(period)
		series[j] = sum * complex(weight, 0)
	}
	series[0] = series[0]/2 + 0.5
	return series
}

// corrections leave 1e-9 of what neighbours add to an entry, where a turn is that of 2^30 instead of the modulus.
const corrections = 3

// heights are values beyond 1/2, less what the kernels of all other entries add there.
func (g Grid) heights(values []float64) []float64 {
	kernels := make([]float64, len(values))
	for apart := range kernels {
		kernels[apart] = fejer(g.Period(), float64(apart)*g.Spacing)
	}
	heights := make([]float64, len(values))
	for range corrections {
		corrected := make([]float64, len(values))
		for entry, value := range values {
			found := 0.0
			for other, height := range heights {
				found += height * kernels[max(entry-other, other-entry)]
			}
			corrected[entry] = heights[entry] + value - 0.5 - found
		}
		heights = corrected
	}
	return heights
}

// fejer is sin(pi p x)^2 / (p sin(pi x))^2: 1 at 0, and zero with its derivative at all other multiples of 1/p.
func fejer(period int, turn float64) float64 {
	p, sine := float64(period), math.Sin(math.Pi*turn)
	if sine == 0 {
		return 1
	}
	return math.Pow(math.Sin(math.Pi*p*turn)/(p*sine), 2)
}

// depth is that of a table's polynomial.
func (g Grid) depth() int { return bits.Len(uint(g.Period() - 1)) }

// tables evaluates each of them at the points of one half, as complex numbers whose real parts are the values, and hands it on.
// All of them share the powers.
func (c *Circuit) tables(points *rlwe.Ciphertext, tables [][]complex128, take func(int, *rlwe.Ciphertext) error) error {
	parameters := c.ring.Parameters
	evaluator := polynomial.NewEvaluator(parameters, c.evaluator.Evaluator)
	powers := basis.NewPowerBasis(points, bignum.Monomial)
	for at, series := range tables {
		table := bignum.NewPolynomial(bignum.Monomial, series, nil)
		value, err := evaluator.EvaluateFromPowerBasis(powers, table, parameters.DefaultScale())
		if err != nil {
			return err
		}
		if err := take(at, value); err != nil {
			return err
		}
	}
	return nil
}

package circuit

import (
	"math"
	"testing"
)

// odd evaluates an odd polynomial in the Chebyshev basis, and bounds its derivative on [-1, 1]: |T_k'| <= k^2.
func odd(coefficients []float64, x float64) float64 {
	angle, sum := math.Acos(math.Max(-1, math.Min(1, x))), 0.0
	for j, coefficient := range coefficients {
		sum += coefficient * math.Cos(float64(2*j+1)*angle)
	}
	return sum
}

func steepest(coefficients []float64) float64 {
	bound := 0.0
	for j, coefficient := range coefficients {
		bound += math.Abs(coefficient) * float64((2*j+1)*(2*j+1))
	}
	return bound
}

// image bounds a polynomial on [low, high] from a grid and the steepest slope between its points.
func image(coefficients []float64, low, high float64) (float64, float64) {
	const points = 1_000_000
	step := (high - low) / points
	least, most := math.Inf(1), math.Inf(-1)
	for i := 0; i <= points; i++ {
		value := odd(coefficients, low+float64(i)*step)
		least, most = math.Min(least, value), math.Max(most, value)
	}
	between := steepest(coefficients) * step / 2
	return least - between, most + between
}

// TestTheSignIsWithinItsError proves SignError: the image of [Gap, 1] under each polynomial is the interval of the next.
func TestTheSignIsWithinItsError(t *testing.T) {
	low, high := Gap, 1.0
	for i, coefficients := range signs {
		low, high = image(coefficients, low, high)
		if i+1 < len(signs) && high > 1 {
			t.Errorf("polynomial %d reaches %.9f; the next one is for 1 at most", i, high)
		}
	}
	if 1-low > SignError || high-1 > SignError {
		t.Errorf("signs are %.7f to %.7f, further from 1 than %g", low, high, SignError)
	}
}

// TestTheSignStaysSmallInTheGap: a reading within the gap spoils its own answer alone.
func TestTheSignStaysSmallInTheGap(t *testing.T) {
	for x := -Gap; x <= Gap; x += Gap / 1000 {
		value := x
		for _, coefficients := range signs {
			value = odd(coefficients, value)
		}
		if math.Abs(value) > 1+SignError {
			t.Errorf("sign(%g) = %g", x, value)
		}
	}
}

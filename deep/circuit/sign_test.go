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
	points := 1_000_000
	if len(coefficients) > 8 {
		points *= 4 // Its slope is bounded less well.
	}
	step := (high - low) / float64(points)
	least, most := math.Inf(1), math.Inf(-1)
	for i := 0; i <= points; i++ {
		value := odd(coefficients, low+float64(i)*step)
		least, most = math.Min(least, value), math.Max(most, value)
	}
	between := steepest(coefficients) * step / 2
	return least - between, most + between
}

// TestSignsAreWithinTheirErrors proves them: the image of [gap, 1] under each polynomial is the interval of the next.
func TestSignsAreWithinTheirErrors(t *testing.T) {
	for levels := FewestSignLevels; levels <= MostSignLevels; levels++ {
		sign, depths := signsOf[levels], 0
		low, high := sign.gap, 1.0
		for i, coefficients := range sign.odd {
			low, high = image(coefficients, low, high)
			if i+1 < len(sign.odd) && high > 1 {
				t.Errorf("polynomial %d reaches %.9f; the next one is for 1 at most", i, high)
			}
			depths += depth(make([]float64, 2*len(coefficients)))
		}
		if 1-low > sign.error || high-1 > sign.error || depths != levels {
			t.Errorf("signs are %.7f to %.7f, further from 1 than %g, by %d levels, wanted %d", low, high, sign.error, depths, levels)
		}
	}
}

// TestSignsStaySmallInTheGap: a reading within the gap spoils its own answer alone.
func TestSignsStaySmallInTheGap(t *testing.T) {
	for _, sign := range signsOf {
		for x := -sign.gap; x <= sign.gap; x += sign.gap / 1000 {
			if value := sign.at(x); math.Abs(value) > 1+sign.error {
				t.Errorf("sign(%g) = %g", x, value)
			}
		}
	}
}

package circuit

import (
	"math"
	"math/cmplx"
	"math/rand"
	"strings"
	"testing"

	"isopod/deep/size"
)

// gridOf has a number of entries from -half to half - 1, of readings at this scale, that fill a turn.
func gridOf(period, logScale int) Grid {
	multiplier := uint64(1<<30) / uint64(period) >> logScale
	spacing := float64(multiplier) * math.Ldexp(1, logScale) / size.FrameModulus
	return Grid{Multiplier: multiplier, Spacing: spacing, First: -period / 2, Entries: period}
}

// at evaluates a table in the clear.
func at(series []complex128, turn float64) (value float64) {
	point, power := cmplx.Rect(1, 2*math.Pi*turn), complex(1, 0)
	for _, coefficient := range series {
		value += real(coefficient * power)
		power *= point
	}
	return value
}

// weight bounds the share that an entry at this distance, in entries, has in a value whose place is off by `off` entries: Fejér's
// kernel sin(pi p x)^2 / (p sin(pi x))^2, with the largest numerator and the smallest denominator.
func weight(grid Grid, apart int, off float64) float64 {
	period := float64(grid.Period())
	off *= grid.Spacing * period
	place := math.Abs(float64(apart)) * grid.Spacing * period
	distance := math.Abs(place - period*math.Round(place/period))
	nearest := math.Max(0, distance-off)
	numerator := math.Pi * (math.Abs(place-math.Round(place)) + off)
	return math.Min(1, math.Pow(numerator/(period*math.Sin(math.Pi*nearest/period)), 2))
}

// stated bounds the error of an entry: values are from 0 to 1, taken from 1/2.
func stated(grid Grid, entry int, off float64) float64 {
	total := math.Pow(math.Pi*off*grid.Spacing*float64(grid.Period()), 2) / 3
	for other := range grid.Entries {
		if other != entry {
			total += weight(grid, other-entry, off)
		}
	}
	return total / 2
}

// nodeError is what is left of an entry without any noise.
const nodeError = 1e-9

// TestTablesAreWithinTheirErrors holds the coefficients against what the kernels say, for entries as far apart as can be.
func TestTablesAreWithinTheirErrors(t *testing.T) {
	random := rand.New(rand.NewSource(71))
	for _, grid := range []Grid{gridOf(2, 20), gridOf(16, 20), gridOf(256, 20), gridOf(512, 20),
		{Multiplier: 1, Spacing: 1.0 / 300.3, First: -100, Entries: 200}} {
		values := make([]float64, grid.Entries)
		for entry := range values {
			values[entry] = float64((entry + random.Intn(2)) % 2)
		}
		series := grid.series(values)
		for _, off := range []float64{0, 0.001, 0.02, 0.1} {
			furthest := 0.0
			for entry, wanted := range values {
				allowed := stated(grid, entry, off)
				for _, side := range []float64{-1, -0.5, 0, 0.5, 1} {
					value := at(series, grid.turn(entry)+side*off*grid.Spacing)
					furthest = math.Max(furthest, math.Abs(value-wanted)/(allowed+nodeError))
					if off == 0 && math.Abs(value-wanted) > nodeError || math.Abs(value-wanted) > allowed+nodeError {
						t.Fatalf("period %d, entry %d, off by %g: %g, wanted %g, allowed %g", grid.Period(), entry, side*off, value,
							wanted, allowed)
					}
				}
			}
			t.Logf("period %d, off by %g: at most %.3f of what is stated", grid.Period(), off, furthest)
		}
	}
}

// TestTheExponentialIsWithinItsError: 2^r times that of the series, over the whole range.
func TestTheExponentialIsWithinItsError(t *testing.T) {
	for _, sine := range []struct {
		most      float64
		squarings int
	}{{16, 3}} {
		series, furthest := exponentialSeries(sine.most, sine.squarings), 0.0
		for step := -20000; step <= 20000; step++ {
			u := float64(step) / 20000
			sum := complex(0, 0)
			for n, coefficient := range series {
				sum += coefficient * complex(math.Cos(float64(n)*math.Acos(u)), 0)
			}
			for range sine.squarings {
				sum *= sum
			}
			furthest = math.Max(furthest, cmplx.Abs(sum-cmplx.Rect(1, 2*math.Pi*sine.most*u)))
		}
		if furthest > ExponentialError {
			t.Errorf("exp is off by %g; allowed is %g", furthest, ExponentialError)
		}
		t.Logf("exp is off by %g", furthest)
	}
}

func TestTablesOutOfRangeAreRefused(t *testing.T) {
	grid, values := gridOf(16, 20), make([]float64, 16)
	lookup := func(change func(*Lookup)) error {
		job := Lookup{Grid: grid, Values: append([]float64(nil), values...), Ciphertexts: 1}
		change(&job)
		return job.Check()
	}
	for wanted, err := range map[string]error{
		"multiplier: 0":            lookup(func(job *Lookup) { job.Multiplier = 0 }),
		"multiplier: 1073692673":   lookup(func(job *Lookup) { job.Multiplier = size.FrameModulus }),
		"spacing: 0; ":             lookup(func(job *Lookup) { job.Spacing = 0 }),
		"spacing: NaN":             lookup(func(job *Lookup) { job.Spacing = math.NaN() }),
		"spacing: 0.75":            lookup(func(job *Lookup) { job.Spacing = 0.75 }),
		"spacing: 0.0004":          lookup(func(job *Lookup) { job.Spacing = 0.0004 }),
		"entries: 1;":              lookup(func(job *Lookup) { job.Entries = 1 }),
		"entries: 17; allowed are": lookup(func(job *Lookup) { job.Entries = 17 }),
		"first: 1025":              lookup(func(job *Lookup) { job.First = 1025 }),
		"values: 15; allowed are":  lookup(func(job *Lookup) { job.Values = job.Values[:15] }),
		"values: 1.5 at 3":         lookup(func(job *Lookup) { job.Values[3] = 1.5 }),
		"values: NaN at 3":         lookup(func(job *Lookup) { job.Values[3] = math.NaN() }),
		"ciphertexts: 0":           lookup(func(job *Lookup) { job.Ciphertexts = 0 }),
		"tables: 0":                Tally{Grid: grid, Ciphertexts: 1}.Check(),
		"tables: 130":              Tally{Grid: grid, Tables: make([][]float64, 130), Ciphertexts: 1}.Check(),
		"values: 0; allowed are":   Tally{Grid: grid, Tables: make([][]float64, 1), Ciphertexts: 1}.Check(),
		"ciphertexts: 4097":        Tally{Grid: grid, Tables: [][]float64{values}, Ciphertexts: 4097}.Check(),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
	if err := lookup(func(*Lookup) {}); err != nil {
		t.Error(err)
	}
}

//go:build insecure

package circuit

import (
	"math"
	"math/rand"
	"testing"
)

// Three edges, of which the bins between them hold anything from no reading to most of them.
func TestEveryBinOfAHistogram(t *testing.T) {
	f, edges := shared(t), []float64{-6.5, -1, 4}
	random := rand.New(rand.NewSource(11))
	sent := func(at int) bool { return at%3 > 0 }
	values, valid, wanted := binned(random, f.ring.Parameters.N(), edges, sent)
	c0, c1 := f.merged(random, values, sent)
	answers := answered(t, f.circuit, histogramOf(edges, 2), valid, c0, c1)
	if len(answers) != len(wanted) {
		t.Fatalf("%d answers, wanted %d", len(answers), len(wanted))
	}
	for bin, answer := range answers {
		found := f.read(answer)
		if math.Abs(found-float64(2*wanted[bin])) > 0.1+2*float64(valid.readings())*SignError {
			t.Errorf("bin %d: %.4f, wanted %d", bin, found, 2*wanted[bin])
		}
		t.Logf("bin %d: %.4f, wanted %d", bin, found, 2*wanted[bin])
	}
}

// reach is the largest reading, and room for noise.
const reach = 8.25

func histogramOf(edges []float64, ciphertexts int) Histogram {
	job := Histogram{Ciphertexts: ciphertexts}
	for _, edge := range edges {
		job.Edges = append(job.Edges, Edge{edge * unit, (math.Abs(edge) + reach) * unit})
	}
	return job
}

// binned draws readings in [-8, 8] outside of all gaps, and none in the last bin but one; `wanted` counts those that were sent.
func binned(random *rand.Rand, degree int, edges []float64, sent func(int) bool) (values []int64, valid Valid, wanted []int) {
	values, valid, wanted = make([]int64, degree), make(Valid, degree/8), make([]int, len(edges)+1)
	for at := range values {
		reading, bin := farFrom(random, edges)
		values[at] = int64(math.Round(reading * unit))
		if sent(at) {
			valid[at/8] |= 1 << (at % 8)
			wanted[bin]++
		}
	}
	return values, valid, wanted
}

func farFrom(random *rand.Rand, edges []float64) (reading float64, bin int) {
	for {
		reading, bin = random.Float64()*16-8, 0
		near := false
		for _, edge := range edges {
			near = near || math.Abs(reading-edge) < Gap*(math.Abs(edge)+reach)+0.025
			if reading > edge {
				bin++
			}
		}
		if !near && bin != len(edges)-1 {
			return reading, bin
		}
	}
}

//go:build insecure

package circuit

import (
	"math"
	"math/rand"
	"testing"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"

	"isopod/deep/size"
)

// values decrypts an answer of readings, piece by piece under the frames' key, and gives the value at each coefficient's slot.
func (f *frames) values(t *testing.T, answer *Answer) []float64 {
	t.Helper()
	parameters, step := f.ring.Parameters, f.ring.Step()
	plaintext := ckks.NewPlaintext(parameters, 0)
	plaintext.IsNTT = false
	// The embedding is exact beside 2^20 times as fine a scale.
	const finer = 1 << 20
	plaintext.Scale = rlwe.NewScale(answer.Scale * finer)
	for piece := 0; piece < step; piece++ {
		c1 := make([]uint64, size.FrameDegree)
		for j := range c1 {
			c1[j] = answer.C1[j*step+piece]
		}
		for j, body := range f.times(c1) {
			phase := int64((answer.C0[j*step+piece] + body) % size.FrameModulus)
			if phase > size.FrameModulus/2 {
				phase -= size.FrameModulus
			}
			residue := phase * finer
			if residue < 0 {
				residue += int64(f.ring.Modulus())
			}
			plaintext.Value.Coeffs[0][j*step+piece] = uint64(residue)
		}
	}
	slots := make([]complex128, parameters.MaxSlots())
	check(t, ckks.NewEncoder(parameters).Decode(plaintext, slots))
	values := make([]float64, 2*len(slots))
	for p := range slots {
		slot := slots[slotOf(p, parameters.LogN()-1)]
		values[p], values[p+len(slots)] = real(slot), imag(slot)
	}
	return values
}

// within holds the value of every reading against the one that is wanted, and those of no reading against theirs, which noise may
// move further: a sign is steep at 0.
func within(t *testing.T, values []float64, wanted func(at int) float64, most float64) {
	t.Helper()
	furthest, none := 0.0, 0.0
	for at, value := range values {
		if wanted(at) == NoReading {
			none = math.Max(none, math.Abs(value-NoReading))
		} else {
			furthest = math.Max(furthest, math.Abs(value-wanted(at)))
		}
	}
	if !(furthest <= most && none < 0.05) {
		t.Errorf("values are off by %.6f, others by %.6f; allowed are %.6f and 0.05", furthest, none, most)
	}
	t.Logf("values are off by %.6f, others by %.6f", furthest, none)
}

// readingNoise is far above the roundings of an answer: 60 units of the scale at each coefficient.
const readingNoise = 2e-4

func TestAlarmsNameReadings(t *testing.T) {
	f := shared(t)
	for _, below := range []bool{false, true} {
		random := rand.New(rand.NewSource(21))
		sent := func(at int) bool { return at%7 != 3 }
		const threshold = -2.5
		values, valid, _ := binned(random, f.ring.Parameters.N(), []float64{threshold, 100}, sent)
		c0, c1 := f.merged(random, values, sent)
		edge := Edge{threshold * unit, (math.Abs(threshold) + reach) * unit}
		answers := answered(t, f.circuit, Alarm{Edge: edge, Below: below, Ciphertexts: 2}, valid, c0, c1)
		if len(answers) != 2 {
			t.Fatalf("%d answers, wanted 2", len(answers))
		}
		for _, answer := range answers {
			within(t, f.values(t, answer), func(at int) float64 {
				switch {
				case !sent(at):
					return NoReading
				case values[at] > threshold*unit != below:
					return 1
				default:
					return 0
				}
			}, SignError/2+readingNoise)
		}
	}
}

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

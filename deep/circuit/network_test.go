//go:build insecure

package circuit

import (
	"math"
	"math/rand"
	"strings"
	"testing"
)

// interpolated are Chebyshev coefficients of a function on [-1, 1].
func interpolated(function func(float64) float64, count int) []float64 {
	coefficients := make([]float64, count)
	for k := range coefficients {
		for i := range count {
			angle := math.Pi * (float64(i) + 0.5) / float64(count)
			coefficients[k] += 2 / float64(count) * function(math.Cos(angle)) * math.Cos(float64(k)*angle)
		}
	}
	coefficients[0] /= 2
	return coefficients
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Rows of three columns in four coefficients, of readings up to 8.
const (
	logStride   = 2
	columns     = 3
	mostReading = 8.0
)

// rowsOf draws readings. All rows but each fifth one were sent.
func rowsOf(random *rand.Rand, degree, step int) (values []int64, valid Valid, sent func(int) bool) {
	values, valid = make([]int64, degree), make(Valid, degree/8)
	sent = func(at int) bool {
		j := at / step
		return j%(1<<logStride) < columns && (j>>logStride)%5 != 4
	}
	for at := range values {
		values[at] = int64(math.Round((2*random.Float64() - 1) * mostReading * unit))
		if sent(at) {
			valid[at/8] |= 1 << (at % 8)
		}
	}
	return values, valid, sent
}

// inClear is a unit's sum for the row that begins at a coefficient.
func inClear(values []int64, at, step int, of Unit) float64 {
	sum := of.Bias
	for column, weight := range of.Weights {
		sum += weight * float64(values[at+column*step])
	}
	return sum
}

// networkIs holds outputs against those in the clear, which the polynomials of the network make.
func networkIs(t *testing.T, job Network, most float64) {
	t.Helper()
	f := shared(t)
	step := f.ring.Step()
	random := rand.New(rand.NewSource(31))
	values, valid, sent := rowsOf(random, f.ring.Parameters.N(), step)
	c0, c1 := f.merged(random, values, sent)
	answers := answered(t, f.circuit, job, valid, c0, c1)
	if len(answers) != job.Ciphertexts {
		t.Fatalf("%d answers, wanted %d", len(answers), job.Ciphertexts)
	}
	for _, answer := range answers {
		within(t, f.values(t, answer), func(at int) float64 {
			column := at / step % (1 << logStride)
			if first := at - column*step; column < len(job.Outputs) && sent(first) {
				return wantedOf(job, values, first, step, column)
			}
			return NoReading
		}, most)
	}
}

// wantedOf is an output in the clear for the row that begins at a coefficient.
func wantedOf(job Network, values []int64, at, step, number int) float64 {
	output := job.Outputs[number]
	sum := output.Bias
	if len(job.Hidden) == 0 {
		sum = inClear(values, at, step, output)
	}
	for h, unit := range job.Hidden {
		sum += output.Weights[h] * chebyshev(job.Activation, inClear(values, at, step, unit))
	}
	if len(job.Link) > 0 {
		sum = chebyshev(job.Link, sum)
	}
	return sum
}

// sum divides weights and bias by the range of the sum.
func sum(bias float64, weights ...float64) Unit {
	most := math.Abs(bias)
	for _, weight := range weights {
		most += math.Abs(weight) * (mostReading + 0.05)
	}
	scaled := Unit{Bias: bias / most}
	for _, weight := range weights {
		scaled.Weights = append(scaled.Weights, weight/most/unit)
	}
	return scaled
}

func TestALogisticModelOfRows(t *testing.T) {
	link := interpolated(func(x float64) float64 { return logistic(12 * x) }, 64)
	networkIs(t, Network{LogStride: logStride, Columns: columns, Link: link, Ciphertexts: 2,
		Outputs: []Unit{sum(0.5, 0.5, -0.25, 0.75), sum(-1, 0, 0, 1)}}, 5e-3)
}

func TestANetworkOfOneHiddenLayer(t *testing.T) {
	activation := interpolated(func(x float64) float64 { return math.Tanh(4 * x) }, 32)
	networkIs(t, Network{LogStride: logStride, Columns: columns, Activation: activation, Ciphertexts: 1,
		Hidden: []Unit{sum(0.5, 0.5, -0.25, 0.75), sum(-1, 0, 2, 1), sum(0, 1, 1, 1)},
		Outputs: []Unit{{[]float64{0.2, -0.1, 0.2}, 0.5}, {[]float64{-0.3, 0, 0.1}, 0.45}, {[]float64{0.1, 0.1, 0.1}, 0.5},
			{[]float64{0, 0, 0}, 0.25}}}, 5e-3)
	link := interpolated(func(x float64) float64 { return logistic(3 * x) }, 16)
	positive := interpolated(func(x float64) float64 { return math.Max(0, x) }, 32)
	networkIs(t, Network{LogStride: logStride, Columns: columns, Activation: positive, Link: link, Ciphertexts: 1,
		Hidden:  []Unit{sum(0.5, 0.5, -0.25, 0.75), sum(-1, 0, 2, 1)},
		Outputs: []Unit{{[]float64{0.5, -0.3}, 0.1}}}, 5e-3)
}

func TestNetworksOutOfRangeAreRefused(t *testing.T) {
	good := func() Network {
		return Network{LogStride: 2, Columns: 3, Activation: []float64{0, 1}, Ciphertexts: 1,
			Hidden: []Unit{{[]float64{1, 1, 1}, 0}}, Outputs: []Unit{{[]float64{1}, 0}}}
	}
	check(t, good().Check())
	for wanted, spoil := range map[string]func(*Network){
		"log_stride: 11; allowed are 0 to 10":     func(j *Network) { j.LogStride = 11 },
		"log_stride: -1":                          func(j *Network) { j.LogStride = -1 },
		"columns: 5; allowed are 1 to 4":          func(j *Network) { j.Columns = 5 },
		"columns: 0":                              func(j *Network) { j.Columns = 0 },
		"outputs: 0; allowed are 1 to 4":          func(j *Network) { j.Outputs = nil },
		"hidden: 257; allowed are 0 to 256":       func(j *Network) { j.Hidden = make([]Unit, 257) },
		"activation: 0; allowed are 2 to 512":     func(j *Network) { j.Activation = nil },
		"activation: 2; allowed are 0 to 0":       func(j *Network) { j.Hidden = nil },
		"link: 513; allowed are 0 to 512":         func(j *Network) { j.Link = make([]float64, 513) },
		"weights: 2; allowed are 3":               func(j *Network) { j.Hidden[0].Weights = []float64{1, 1} },
		"weights: 3; allowed are 1":               func(j *Network) { j.Outputs[0].Weights = []float64{1, 1, 1} },
		"weights: NaN; allowed are -1024 to 1024": func(j *Network) { j.Hidden[0].Weights[1] = math.NaN() },
		"weights: 1025; allowed":                  func(j *Network) { j.Outputs[0].Bias = 1025 },
		"polynomial: -2000; allowed":              func(j *Network) { j.Link = []float64{1, -2000} },
		"ciphertexts: 0":                          func(j *Network) { j.Ciphertexts = 0 },
	} {
		job := good()
		spoil(&job)
		if err := job.Check(); err == nil || !strings.HasPrefix(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
	deep := good()
	deep.Activation, deep.Link = make([]float64, 512), make([]float64, 4)
	if deep.Levels() != 14 {
		t.Errorf("levels: %d", deep.Levels())
	}
	if _, err := deep.Start(shared(t).circuit).Add(nil, nil, nil); err == nil || err.Error() != "levels: 14; allowed are 13" {
		t.Error(err)
	}
}

//go:build insecure

package circuit

import (
	"math"
	"math/rand"
	"strings"
	"testing"
)

// covarianceInClear is over the rows that were sent.
func covarianceInClear(values []int64, step int, sent func(int) bool, pair [2]int) float64 {
	rows, sums, products := 0.0, [2]float64{}, 0.0
	for at := range values {
		if at/step%(1<<logStride) != 0 || !sent(at) {
			continue
		}
		a, b := float64(values[at+pair[0]*step]), float64(values[at+pair[1]*step])
		rows, sums[0], sums[1], products = rows+1, sums[0]+a, sums[1]+b, products+a*b
	}
	return products/rows - sums[0]/rows*sums[1]/rows
}

// Columns of different spread, means and correlation, of which each fifth row is missing.
func TestCovariancesOfColumns(t *testing.T) {
	f := shared(t)
	step := f.ring.Step()
	values, valid, sent := rowsOf(rand.New(rand.NewSource(51)), f.ring.Parameters.N(), step)
	for at := range values {
		switch at / step % (1 << logStride) {
		case 1:
			values[at] = values[at]/8 + 5*unit
		case 2:
			values[at] = values[at]/2 - values[at-2*step]/2
		}
	}
	c0, c1 := f.merged(rand.New(rand.NewSource(52)), values, sent)
	pairs := [][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 2}, {2, 0}, {1, 0}, {1, 2}}
	const mostReading = (8 + 0.05) * unit
	for _, ciphertexts := range []int{1, 3} {
		job := Covariance{LogStride: logStride, Columns: columns, Pairs: pairs, Range: mostReading, Ciphertexts: ciphertexts}
		answers := answered(t, f.circuit, job, valid, c0, c1)
		if len(answers) != len(pairs) {
			t.Fatalf("%d answers, wanted %d", len(answers), len(pairs))
		}
		for at, pair := range pairs {
			wanted := covarianceInClear(values, step, sent, pair) / unit / unit
			found := f.read(answers[at]) / unit / unit
			if math.Abs(found-wanted) > 0.01 {
				t.Errorf("%v: %.5f, wanted %.5f", pair, found, wanted)
			}
			t.Logf("%v: %.5f, wanted %.5f", pair, found, wanted)
		}
	}
}

// A frame of one column has no bits of columns, and few rows make the factors large.
func TestTheVarianceOfAFewReadings(t *testing.T) {
	f := shared(t)
	degree := f.ring.Parameters.N()
	values, valid := make([]int64, degree), make(Valid, degree/8)
	sent := func(at int) bool { return at == 10 || at == 2*777 || at == degree-1 }
	for at := range values {
		if sent(at) {
			valid[at/8] |= 1 << (at % 8)
			values[at] = int64(at%7) * unit
		}
	}
	c0, c1 := f.merged(rand.New(rand.NewSource(53)), values, sent)
	job := Covariance{Columns: 1, Pairs: [][2]int{{0, 0}}, Range: 8.05 * unit, Ciphertexts: 1}
	found := f.read(answered(t, f.circuit, job, valid, c0, c1)[0]) / unit / unit
	a, b, c := 10%7, 2*777%7, (degree-1)%7
	mean := float64(a+b+c) / 3
	wanted := float64(a*a+b*b+c*c)/3 - mean*mean
	if math.Abs(found-wanted) > 0.05 {
		t.Errorf("%.5f, wanted %.5f", found, wanted)
	}
	t.Logf("%.5f, wanted %.5f", found, wanted)
}

func TestCovariancesOutOfRangeAreRefused(t *testing.T) {
	good := func() Covariance {
		return Covariance{LogStride: 2, Columns: 3, Pairs: [][2]int{{0, 2}}, Range: 8, Ciphertexts: 1}
	}
	check(t, good().Check())
	for wanted, spoil := range map[string]func(*Covariance){
		"log_stride: 11; allowed are 0 to 10": func(j *Covariance) { j.LogStride = 11 },
		"columns: 5; allowed are 1 to 4":      func(j *Covariance) { j.Columns = 5 },
		"pairs: 0; allowed are 1 to 64":       func(j *Covariance) { j.Pairs = nil },
		"pairs: 65":                           func(j *Covariance) { j.Pairs = make([][2]int, 65) },
		"column: 3; allowed are 0 to 2":       func(j *Covariance) { j.Pairs[0][1] = 3 },
		"column: -1":                          func(j *Covariance) { j.Pairs[0][0] = -1 },
		"range: NaN; allowed are 1 to":        func(j *Covariance) { j.Range = math.NaN() },
		"range: 0.5":                          func(j *Covariance) { j.Range = 0.5 },
		"ciphertexts: 0":                      func(j *Covariance) { j.Ciphertexts = 0 },
	} {
		job := good()
		spoil(&job)
		if err := job.Check(); err == nil || !strings.HasPrefix(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

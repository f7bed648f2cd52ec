//go:build insecure

package circuit

import (
	"math"
	"math/rand"
	"testing"
)

// integers are readings on a grid, each of a random entry, with the noise of `merged`.
func integers(random *rand.Rand, degree int, grid Grid, logScale int, sent func(int) bool) (
	values []int64, valid Valid, entries []int) {
	values, valid, entries = make([]int64, degree), make(Valid, degree/8), make([]int, degree)
	for at := range values {
		entries[at] = random.Intn(grid.Entries)
		values[at] = int64(grid.First+entries[at]) << logScale
		if sent(at) {
			valid[at/8] |= 1 << (at % 8)
		}
	}
	return values, valid, entries
}

// outputs are random entries of a table, integers over the most.
func outputs(random *rand.Rand, entries int, most float64) []float64 {
	values := make([]float64, entries)
	for entry := range values {
		values[entry] = float64(random.Intn(int(most)+1)) / most
	}
	return values
}

// entryNoise is far above what the circuit adds to an entry.
const entryNoise = 5e-4

func TestEveryReadingHasItsEntry(t *testing.T) {
	f := shared(t)
	for _, period := range []int{2, 16, 256, 512} {
		const logScale = 19
		random := rand.New(rand.NewSource(81))
		sent := func(at int) bool { return at%7 != 3 }
		grid := gridOf(period, logScale)
		values, valid, entries := integers(random, f.ring.Parameters.N(), grid, logScale, sent)
		table := outputs(random, period, 255)
		c0, c1 := f.merged(random, values, sent)
		job := Lookup{Grid: grid, Values: table, Ciphertexts: 2}
		answers := answered(t, f.circuit, job, valid, c0, c1)
		if len(answers) != 2 {
			t.Fatalf("%d answers, wanted 2", len(answers))
		}
		within(t, f.values(t, answers[1]), func(at int) float64 {
			if !sent(at) {
				return NoReading
			}
			return table[entries[at]]
		}, entryNoise)
	}
}

// Bins of one integer, of several and of none, over two ciphertexts.
func TestTalliesAreExact(t *testing.T) {
	f := shared(t)
	const logScale, period = 20, 64
	random := rand.New(rand.NewSource(82))
	sent := func(at int) bool { return at%5 > 0 }
	grid := gridOf(period, logScale)
	values, valid, entries := integers(random, f.ring.Parameters.N(), grid, logScale, sent)
	tables, wanted := make([][]float64, 4), make([]float64, 4)
	for table, of := range []func(entry int) bool{
		func(entry int) bool { return entry == 7 }, func(entry int) bool { return entry > 30 },
		func(int) bool { return false }, func(int) bool { return true }} {
		tables[table] = make([]float64, period)
		for entry := range tables[table] {
			if of(entry) {
				tables[table][entry] = 1
			}
		}
		for at, entry := range entries {
			if sent(at) {
				wanted[table] += 2 * tables[table][entry]
			}
		}
	}
	c0, c1 := f.merged(random, values, sent)
	answers := answered(t, f.circuit, Tally{Grid: grid, Tables: tables, Ciphertexts: 2}, valid, c0, c1)
	for table, answer := range answers {
		found := f.read(answer)
		if math.Abs(found-wanted[table]) > 0.02 {
			t.Errorf("table %d: %.4f, wanted %g", table, found, wanted[table])
		}
		t.Logf("table %d: %.4f, wanted %g", table, found, wanted[table])
	}
}

// The primes of deep-15, at a degree of 2^13: a table that takes all levels, one that leaves some, and what needs a sine.
func TestTablesAlone(t *testing.T) {
	f := newFrames(t, "insecure-13", t.TempDir())
	circuit, err := New(f.ring, f.folder, f.id, 1<<30)
	check(t, err)
	const logScale = 20
	sent := func(at int) bool { return at%7 != 3 }
	for _, period := range []int{16, 64} {
		random, grid := rand.New(rand.NewSource(83)), gridOf(period, logScale)
		values, valid, entries := integers(random, f.ring.Parameters.N(), grid, logScale, sent)
		c0, c1 := f.merged(random, values, sent)
		table, ones, wanted := outputs(random, period, 255), make([]float64, period), 0.0
		ones[3] = 1
		for at, entry := range entries {
			if sent(at) {
				wanted += 2 * ones[entry]
			}
		}
		answers := answered(t, circuit, Lookup{Grid: grid, Values: table, Ciphertexts: 1}, valid, c0, c1)
		within(t, f.values(t, answers[0]), func(at int) float64 {
			if !sent(at) {
				return NoReading
			}
			return table[entries[at]]
		}, 2*entryNoise)
		answers = answered(t, circuit, Tally{Grid: grid, Tables: [][]float64{ones}, Ciphertexts: 2}, valid, c0, c1)
		if found := f.read(answers[0]); math.Abs(found-wanted) > 0.1 {
			t.Errorf("%.4f, wanted %g", found, wanted)
		} else {
			t.Logf("%.4f, wanted %g", found, wanted)
		}
	}
	degree := f.ring.Parameters.N()
	valid, zeros := make(Valid, degree/8), make([]uint64, degree)
	valid[0] = 1
	_, err = circuit.ToSlots(valid, zeros, zeros)
	refusedWith(t, err, "job: needs a sine; insecure-13 has tables alone")
	wide := gridOf(128, logScale)
	work := Lookup{Grid: wide, Values: make([]float64, 128), Ciphertexts: 1}.Start(circuit)
	_, err = work.Add(valid, zeros, zeros)
	refusedWith(t, err, "levels: 7 of a table of 128 entries; insecure-13 has 6")
}

func refusedWith(t *testing.T, err error, wanted string) {
	t.Helper()
	if err == nil || err.Error() != wanted {
		t.Errorf("%v, wanted %s", err, wanted)
	}
}

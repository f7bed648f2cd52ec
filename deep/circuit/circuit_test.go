//go:build insecure

package circuit

import (
	"bytes"
	"math"
	"math/rand"
	"os"
	"strings"
	"sync"
	"testing"

	"isopod/deep/generate"
	"isopod/deep/keyset"
	"isopod/deep/size"
)

// frames is the secret key of tests, and what is encrypted under it in the large ring.
type frames struct {
	ring   *size.Ring
	secret []int8
	folder string
	id     keyset.Identity
	// circuit keeps the keys that it has read.
	circuit *Circuit
}

var (
	once   sync.Once
	made   *frames
	folder string
)

// TestMain keeps the keys until the last test.
func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "deep"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

// shared makes one set of keys, and one circuit, for all tests.
func shared(t *testing.T) *frames {
	t.Helper()
	once.Do(func() {
		f := newFrames(t, "insecure-12", folder)
		circuit, err := New(f.ring, f.folder, f.id, 1<<30)
		check(t, err)
		f.circuit, made = circuit, f
	})
	if made == nil {
		t.Fatal("no keys")
	}
	return made
}

func newFrames(t *testing.T, name, folder string) *frames {
	chosen, err := size.ByName(name)
	check(t, err)
	ring, err := chosen.Ring()
	check(t, err)
	random := rand.New(rand.NewSource(1))
	secret := make([]int8, size.FrameDegree)
	for i := range secret {
		secret[i] = int8(random.Intn(3) - 1)
	}
	owner, err := generate.NewOwner(ring, secret, make([]byte, generate.SeedBytes))
	check(t, err)
	check(t, owner.Run(folder, func(int, int) error { return nil }))
	_, _, id, err := keyset.ReadSet(folder)
	check(t, err)
	return &frames{ring: ring, secret: secret, folder: folder, id: id}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// times multiplies polynomials of the frames' ring modulo q.
func (f *frames) times(a []uint64) []uint64 {
	q := uint64(size.FrameModulus)
	product := make([]uint64, len(a))
	for j, coefficient := range f.secret {
		if coefficient == 0 {
			continue
		}
		for i, value := range a {
			at, negative := i+j, coefficient < 0
			if at >= len(a) {
				at, negative = at-len(a), !negative
			}
			if negative {
				value = (q - value) % q
			}
			product[at] = (product[at] + value) % q
		}
	}
	return product
}

// merged encrypts coefficients of up to k frames with noise like a public key's, raised and merged as spec/merge.md says. Where
// `sent` is false, c0 is zero, as a frame leaves it.
func (f *frames) merged(random *rand.Rand, values []int64, sent func(int) bool) (c0, c1 []uint64) {
	degree, step := f.ring.Parameters.N(), f.ring.Step()
	c0, c1 = make([]uint64, degree), make([]uint64, degree)
	for frame := 0; frame < step; frame++ {
		a := make([]uint64, size.FrameDegree)
		for i := range a {
			a[i] = uint64(random.Int63n(size.FrameModulus))
		}
		body := f.times(a)
		for j := range a {
			at := j*step + frame
			noise := int64(math.Round(random.NormFloat64() * 170))
			c := (values[at] + noise - int64(body[j])) % size.FrameModulus
			if c < 0 {
				c += size.FrameModulus
			}
			if sent(at) {
				c0[at] = rescaled(uint64(c), size.FrameModulus, f.ring.Modulus())
			}
			c1[at] = rescaled(a[j], size.FrameModulus, f.ring.Modulus())
		}
	}
	return c0, c1
}

// read decrypts an answer.
func (f *frames) read(answer *Answer) float64 {
	phase := (answer.C0[0] + f.times(answer.C1)[0]) % size.FrameModulus
	centred := float64(phase)
	if phase > size.FrameModulus/2 {
		centred -= size.FrameModulus
	}
	return centred / answer.Scale
}

const unit = 1 << 15

func TestCountsOutsideTheGap(t *testing.T) {
	f := shared(t)
	countIs(t, f, func(int) bool { return true }, 3, false)
	countIs(t, f, func(at int) bool { return at%5 == 0 }, 3, true)
	// Coefficients of no reading, which are any numbers, leave no noise of their own.
	countIs(t, f, func(at int) bool { return at%1024 == 0 }, 3, false)
}

// answerNoise is six deviations of a count's roundings in the ring of tests, as crates/lattigo bounds them.
const answerNoise = 0.0067

// countIs compares one count of random readings in [-8, 8] with the clear.
func countIs(t *testing.T, f *frames, sent func(int) bool, threshold float64, below bool) {
	t.Helper()
	reach := math.Abs(threshold) + reach
	degree := f.ring.Parameters.N()
	random := rand.New(rand.NewSource(7))
	values, valid, wanted, readings := make([]int64, degree), make([]byte, degree/8), 0, 0
	for at := range values {
		reading := random.Float64()*16 - 8
		for math.Abs(reading-threshold) < Gap*reach+0.025 {
			reading = random.Float64()*16 - 8
		}
		values[at] = int64(math.Round(reading * unit))
		if sent(at) {
			valid[at/8] |= 1 << (at % 8)
			readings++
			if reading > threshold != below {
				wanted++
			}
		}
	}
	c0, c1 := f.merged(random, values, sent)
	job := Count{Edge: Edge{threshold * unit, reach * unit}, Below: below, Ciphertexts: 1}
	found := f.read(answered(t, f.circuit, job, valid, c0, c1)[0])
	if math.Abs(found-float64(wanted)) > answerNoise+float64(readings)*SignError/2 {
		t.Errorf("%d readings: %.4f, wanted %d", readings, found, wanted)
	}
	t.Logf("%d readings: %.4f, wanted %d", readings, found, wanted)
}

// answered are the answers to a job on the same ciphertext, as often as the job says.
func answered(t *testing.T, circuit *Circuit, job Job, valid Valid, c0, c1 []uint64) []*Answer {
	t.Helper()
	check(t, job.Check())
	ciphertexts, wanted := job.Size()
	stages := 0
	circuit.Stage = func(int) error { stages++; return nil }
	work := job.Start(circuit)
	var answers []*Answer
	for range ciphertexts {
		added, err := work.Add(valid, c0, c1)
		check(t, err)
		answers = append(answers, added...)
	}
	rest, err := work.Answers()
	check(t, err)
	answers = append(answers, rest...)
	if stages != wanted {
		t.Errorf("%d stages were reported, wanted %d", stages, wanted)
	}
	return answers
}

// Two ciphertexts of which all readings count: the largest number that an answer may hold.
func TestCountsAddUpCiphertexts(t *testing.T) {
	f := shared(t)
	degree := f.ring.Parameters.N()
	values, valid := make([]int64, degree), make(Valid, degree/8)
	for at := range values {
		values[at] = unit
		valid[at/8] |= 1 << (at % 8)
	}
	c0, c1 := f.merged(rand.New(rand.NewSource(8)), values, func(int) bool { return true })
	job := Count{Edge: Edge{0, 2 * unit}, Ciphertexts: 2}
	found := f.read(answered(t, f.circuit, job, valid, c0, c1)[0])
	if math.Abs(found-float64(2*degree)) > 0.1+float64(2*degree)*SignError {
		t.Errorf("%.4f, wanted %d", found, 2*degree)
	}
}

func TestSlotsHoldTheReadings(t *testing.T) {
	f := shared(t)
	circuit, err := New(f.ring, f.folder, f.id, 0)
	check(t, err)
	random := rand.New(rand.NewSource(2))
	values := make([]int64, f.ring.Parameters.N())
	for at := range values {
		values[at] = random.Int63n(1<<19) - 1<<18
	}
	c0, c1 := f.merged(random, values, func(int) bool { return true })
	slots, err := circuit.ToSlots(bytes.Repeat([]byte{255}, len(values)/8), c0, c1)
	check(t, err)
	if slots.Halves[0].Level() != f.ring.Levels || slots.Halves[1].Level() != f.ring.Levels {
		t.Errorf("levels %d, wanted %d", slots.Halves[0].Level(), f.ring.Levels)
	}
}

func TestJobsOutOfRangeAreRefused(t *testing.T) {
	const degree = 4096
	count := func(threshold, reach float64, ciphertexts int) error {
		return Count{Edge: Edge{threshold, reach}, Ciphertexts: ciphertexts}.Check()
	}
	histogram := func(ciphertexts int, edges ...Edge) error {
		return Histogram{Edges: edges, Ciphertexts: ciphertexts}.Check()
	}
	for _, refused := range []struct {
		wanted string
		err    error
	}{
		{"valid: 3 bytes", make(Valid, 3).check(degree)},
		{"valid: no reading", make(Valid, degree/8).check(degree)},
		{"threshold: 1e+12", count(1e12, 1, 1)},
		{"range: 0", count(0, 0, 1)},
		{"range: 1e+12", count(0, 1e12, 1)},
		{"ciphertexts: 0", count(0, 1, 0)},
		{"ciphertexts: 4097", count(0, 1, 4097)},
		{"edges: 0; allowed are 1 to 32", histogram(1)},
		{"edges: 33; allowed are 1 to 32", histogram(1, make([]Edge, 33)...)},
		{"edges: 5 behind 5; allowed", histogram(1, Edge{5, 1}, Edge{5, 1})},
		{"edges: 4 behind 5; allowed", histogram(1, Edge{5, 1}, Edge{4, 1})},
		{"range: 0", histogram(1, Edge{4, 1}, Edge{5, 0})},
		{"ciphertexts: 0", histogram(0, Edge{4, 1})},
	} {
		if refused.err == nil || !strings.HasPrefix(refused.err.Error(), refused.wanted) {
			t.Errorf("%s: %v", refused.wanted, refused.err)
		}
	}
}

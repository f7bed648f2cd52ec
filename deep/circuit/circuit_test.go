//go:build insecure

package circuit

import (
	"math"
	"math/rand"
	"os"
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

// shared makes one set of keys for all tests.
func shared(t *testing.T) *frames {
	t.Helper()
	once.Do(func() { made = newFrames(t, "insecure-12", folder) })
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
	return &frames{ring, secret, folder, id}
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
	phase := (answer.C0 + f.times(answer.C1)[0]) % size.FrameModulus
	centred := float64(phase)
	if phase > size.FrameModulus/2 {
		centred -= size.FrameModulus
	}
	return centred / answer.Scale
}

const unit = 1 << 15

func TestCountsOutsideTheGap(t *testing.T) {
	f := shared(t)
	circuit, err := New(f.ring, f.folder, f.id, 1<<30)
	check(t, err)
	everywhere := func(int) bool { return true }
	countIs(t, f, circuit, everywhere, 3, false)
	countIs(t, f, circuit, func(at int) bool { return at%5 == 0 }, 3, true)
	// All readings count, so the answer is as large as it can be.
	countIs(t, f, circuit, everywhere, -8, false)
}

// countIs compares one count of random readings in [-8, 8] with the clear.
func countIs(t *testing.T, f *frames, circuit *Circuit, sent func(int) bool, threshold float64, below bool) {
	t.Helper()
	reach := math.Abs(threshold) + 8.25
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
	job := Count{Threshold: threshold * unit, Range: reach * unit, Below: below, Valid: valid}
	answer, err := job.Run(circuit, c0, c1)
	check(t, err)
	found := f.read(answer)
	if math.Abs(found-float64(wanted)) > 0.05+float64(readings)*SignError {
		t.Errorf("%d readings: %.4f, wanted %d", readings, found, wanted)
	}
	t.Logf("%d readings: %.4f, wanted %d", readings, found, wanted)
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
	slots, err := circuit.ToSlots(c0, c1)
	check(t, err)
	if slots.Halves[0].Level() != f.ring.Levels || slots.Halves[1].Level() != f.ring.Levels {
		t.Errorf("levels %d, wanted %d", slots.Halves[0].Level(), f.ring.Levels)
	}
}

func TestJobsOutOfRangeAreRefused(t *testing.T) {
	f := shared(t)
	degree := f.ring.Parameters.N()
	full := make([]byte, degree/8)
	full[0] = 1
	for name, job := range map[string]Count{
		"valid: 3 bytes":    {Range: 1, Valid: make([]byte, 3)},
		"valid: no reading": {Range: 1, Valid: make([]byte, degree/8)},
		"threshold: 1e+12":  {Threshold: 1e12, Range: 1, Valid: full},
		"range: 0":          {Valid: full},
		"range: 1e+12":      {Range: 1e12, Valid: full},
	} {
		if err := job.check(degree); err == nil || err.Error()[:len(name)] != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

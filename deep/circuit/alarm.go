package circuit

import (
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// LogReadingScale is the scale at which values of readings leave. Their real and imaginary parts are from -1 to 1, so that no
// coefficient is above the square root of 2, and the owner reads coefficients up to a quarter of the modulus.
const LogReadingScale = 27

// NoReading is the value of a slot without a reading; those of readings are from 0 to 1.
const NoReading = -1.0

// Alarm asks of every reading whether it is above a threshold: 1 if so, 0 if not.
type Alarm struct {
	Edge
	// Below asks for readings below the threshold instead.
	Below bool
	// Ciphertexts that are answered, each with a ciphertext of its own.
	Ciphertexts int
}

// Check refuses numbers out of range.
func (j Alarm) Check() error {
	if err := j.Edge.check(); err != nil {
		return err
	}
	return checkCiphertexts(j.Ciphertexts)
}

// Size counts the stages of slots, one of signs and one of the answer, of each ciphertext.
func (j Alarm) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts * (slotReports + 2)
}

// Start begins a job that Check takes.
func (j Alarm) Start(c *Circuit) Work { return &alarming{circuit: c, job: j} }

type alarming struct {
	circuit *Circuit
	job     Alarm
}

// Add answers for the readings of one ciphertext.
func (a *alarming) Add(valid Valid, c0, c1 []uint64) ([]*Answer, error) {
	c := a.circuit
	slots, err := c.ToSlots(valid, c0, c1)
	if err != nil {
		return nil, err
	}
	if err := c.Stage(StagePolynomials); err != nil {
		return nil, err
	}
	var signs pair
	for half := range slots.Halves {
		if signs[half], err = c.sign(a.job.Edge, valid, slots, half, 0); err != nil {
			return nil, err
		}
	}
	if a.job.Below {
		for _, sign := range signs {
			if err := c.evaluator.Evaluator.Mul(sign, -1, sign); err != nil {
				return nil, err
			}
		}
	}
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	// A sign is 0 where no reading is, and half of it from -1/2 to 1/2 elsewhere.
	for _, sign := range signs {
		sign.Scale = sign.Scale.Mul(rlwe.NewScale(2))
	}
	answer, err := c.readings(signs, valid.either(0.5, NoReading))
	return []*Answer{answer}, err
}

// Answers are none: each ciphertext had its own.
func (a *alarming) Answers() ([]*Answer, error) { return nil, nil }

// readings adds a number to each coefficient's slot, puts the second half into the imaginary parts of the first one, and takes
// both to s(X^k).
func (c *Circuit) readings(halves pair, summand func(coefficient int) float64) (*Answer, error) {
	evaluator, logSlots := c.evaluator.Evaluator, c.ring.Parameters.LogN()-1
	for _, half := range halves {
		evaluator.DropLevel(half, half.Level())
	}
	if err := evaluator.Mul(halves[1], complex(0, 1), halves[1]); err != nil {
		return nil, err
	}
	total, err := evaluator.AddNew(halves[0], halves[1])
	if err != nil {
		return nil, err
	}
	numbers := make([]complex128, 1<<logSlots)
	for p := range numbers {
		numbers[slotOf(p, logSlots)] = complex(summand(p), summand(p+len(numbers)))
	}
	if err := evaluator.Add(total, numbers, total); err != nil {
		return nil, err
	}
	return c.answer(total, LogReadingScale)
}

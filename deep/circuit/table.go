package circuit

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"

	"isopod/deep/size"
)

// MostTables of one tally: one for each integer from -64 to 64.
const MostTables = 129

// TallyShare of a quarter of the modulus is what a tally leaves at where every reading counts 1, and so many more that noise
// stays in: the owner reads numbers up to a quarter.
const (
	TallyShare = 0.98
	tallyRoom  = 16
)

// Lookup asks for the entry of a table that every reading is at.
type Lookup struct {
	Grid
	// Values of the entries, from 0 to 1.
	Values []float64
	// Ciphertexts that are answered, each with a ciphertext of its own.
	Ciphertexts int
}

// Tally adds up entries of tables over all readings.
type Tally struct {
	Grid
	// Tables of values from 0 to 1.
	Tables [][]float64
	// Ciphertexts that are added up.
	Ciphertexts int
}

func (g Grid) checkValues(values []float64) error {
	if len(values) != g.Entries {
		return fmt.Errorf("values: %d; allowed are %d, one for each entry", len(values), g.Entries)
	}
	for entry, value := range values {
		if !(value >= 0 && value <= 1) {
			return fmt.Errorf("values: %g at %d; allowed are 0 to 1", value, entry)
		}
	}
	return nil
}

// Check refuses numbers out of range.
func (j Lookup) Check() error {
	if err := j.Grid.check(); err != nil {
		return err
	}
	if err := j.checkValues(j.Values); err != nil {
		return err
	}
	return checkCiphertexts(j.Ciphertexts)
}

// Check refuses numbers out of range.
func (j Tally) Check() error {
	if err := j.Grid.check(); err != nil {
		return err
	}
	if len(j.Tables) < 1 || len(j.Tables) > MostTables {
		return fmt.Errorf("tables: %d; allowed are 1 to %d", len(j.Tables), MostTables)
	}
	for _, values := range j.Tables {
		if err := j.checkValues(values); err != nil {
			return err
		}
	}
	return checkCiphertexts(j.Ciphertexts)
}

// Size counts the stages of slots, one of the table and one of the answer, of each ciphertext.
func (j Lookup) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts * (slotReports + 2)
}

// Size counts the stages of slots, and one of all tables, of each ciphertext, and one of the answers.
func (j Tally) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts*(slotReports+1) + 1
}

// Start begins a job that Check takes.
func (j Lookup) Start(c *Circuit) Work {
	return &lookingUp{circuit: c, job: j, tables: [][]complex128{j.series(j.Values)}}
}

// Start begins a job that Check takes.
func (j Tally) Start(c *Circuit) Work {
	tallying := &tallying{circuit: c, job: j, sums: make([]*rlwe.Ciphertext, len(j.Tables))}
	for _, values := range j.Tables {
		tallying.tables = append(tallying.tables, j.series(values))
	}
	return tallying
}

type lookingUp struct {
	circuit *Circuit
	job     Lookup
	tables  [][]complex128
}

// Add answers for the readings of one ciphertext.
func (l *lookingUp) Add(valid Valid, c0, c1 []uint64) ([]*Answer, error) {
	c := l.circuit
	var values pair
	take := func(_, half int, value *rlwe.Ciphertext) error {
		values[half] = value
		return nil
	}
	if err := c.looked(valid, tablesOf{l.job.Grid, l.tables, 1}, [2][]uint64{c0, c1}, take); err != nil {
		return nil, err
	}
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	evaluator := c.evaluator.Evaluator
	for _, value := range values {
		// A number and its conjugate are twice its real part.
		evaluator.DropLevel(value, value.Level())
		conjugate, err := evaluator.ConjugateNew(value)
		if err != nil {
			return nil, err
		}
		if err := evaluator.Add(value, conjugate, value); err != nil {
			return nil, err
		}
		value.Scale = value.Scale.Mul(rlwe.NewScale(2))
	}
	answer, err := c.readings(values, valid.either(0, NoReading))
	return []*Answer{answer}, err
}

// Answers are none: each ciphertext had its own.
func (l *lookingUp) Answers() ([]*Answer, error) { return nil, nil }

// tablesOf a grid, as series, of whose values so many are added up.
type tablesOf struct {
	grid   Grid
	series [][]complex128
	sums   int
}

// taken are the values of a table in the slots of one half.
type taken func(table, half int, value *rlwe.Ciphertext) error

// looked hands on the values of each table in the slots of readings of one half, and zeros in the others; then those of the other
// half. It keeps none in memory.
func (c *Circuit) looked(valid Valid, lookup tablesOf, merged [2][]uint64, take taken) error {
	grid := lookup.grid
	if levels := grid.depth(); levels > c.ring.Levels {
		return fmt.Errorf("levels: %d of a table of %d entries; %s has %d", levels, grid.Period(), c.ring.Name, c.ring.Levels)
	}
	points, err := c.turned(valid, grid.Multiplier, merged[0], merged[1])
	if err != nil {
		return err
	}
	if err := c.Stage(StagePolynomials); err != nil {
		return err
	}
	for half, point := range points {
		err := c.tables(point, lookup.series, func(table int, value *rlwe.Ciphertext) error {
			value, err := c.masked(value, half, valid, lookup.sums)
			if err != nil {
				return err
			}
			return take(table, half, value)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// logMaskScale is the scale of zeros and ones that multiply without a level, modulo q0 alone: their roundings are off by 2^-15 of
// a value, and q0 has room for it.
const logMaskScale = 21

// masked are values in the slots of readings, and zeros in the others, by a level if one is left. So many are added up.
func (c *Circuit) masked(values *rlwe.Ciphertext, half int, valid Valid, sums int) (*rlwe.Ciphertext, error) {
	if values.Level() > 0 {
		return c.times(values, half, valid.either(1, 0))
	}
	plaintext := ckks.NewPlaintext(c.ring.Parameters, 0)
	plaintext.Scale = rlwe.NewScale(math.Ldexp(1, logMaskScale-bits.Len(uint(sums-1))))
	if err := ckks.NewEncoder(c.ring.Parameters).Encode(c.inSlots(half, valid.either(1, 0)), plaintext); err != nil {
		return nil, err
	}
	return c.evaluator.Evaluator.MulNew(values, plaintext)
}

type tallying struct {
	circuit *Circuit
	job     Tally
	tables  [][]complex128
	sums    []*rlwe.Ciphertext
	// readings of everything that was added.
	readings int
}

// Add adds up the entries of one ciphertext.
func (t *tallying) Add(valid Valid, c0, c1 []uint64) ([]*Answer, error) {
	of := tablesOf{t.job.Grid, t.tables, 2 * t.job.Ciphertexts}
	take := func(table, _ int, value *rlwe.Ciphertext) (err error) {
		// A sum leaves modulo q0, and needs no more of the modulus until then.
		t.circuit.evaluator.Evaluator.DropLevel(value, value.Level())
		t.sums[table], err = t.circuit.sum(t.sums[table], value)
		return err
	}
	if err := t.circuit.looked(valid, of, [2][]uint64{c0, c1}, take); err != nil {
		return nil, err
	}
	t.readings += valid.readings()
	return nil, nil
}

// Answers are the sums of all tables. The mean of the real parts of all slots is the constant coefficient.
func (t *tallying) Answers() ([]*Answer, error) {
	c := t.circuit
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	answers, slots := make([]*Answer, len(t.sums)), float64(c.ring.Parameters.MaxSlots())
	logScale := math.Log2(TallyShare * size.FrameModulus / 4 * slots / float64(t.readings+tallyRoom))
	for table, sum := range t.sums {
		var err error
		if answers[table], err = c.number(sum, logScale); err != nil {
			return nil, err
		}
		answers[table].Scale /= slots
	}
	return answers, nil
}

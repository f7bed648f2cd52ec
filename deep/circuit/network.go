package circuit

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/utils/bignum"
)

// Limits of a network.
const (
	MostLogStride    = 10
	MostHidden       = 256
	MostOutputs      = 64
	MostCoefficients = 512
	mostCoefficient  = 1 << 10
)

// weightedLevels are those of the units of the first layer: weights, and a mask.
const weightedLevels = 2

// Unit is a weighted sum and its constant.
type Unit struct {
	Weights []float64
	Bias    float64
}

// Network asks what a network makes of each row of readings: outputs of a hidden layer, or of the readings themselves. The host
// has divided weights and constants by the ranges of the sums, which are thus from -1 to 1, and outputs are from 0 to 1. Output c
// is in the place of column c.
type Network struct {
	// LogStride and Columns: rows begin at multiples of 2^LogStride coefficients of a frame. Weights of the first layer are in
	// units of a coefficient modulo q.
	LogStride, Columns int
	// Hidden units; none where outputs are made of the readings.
	Hidden []Unit
	// Activation of the hidden units, in the Chebyshev basis.
	Activation []float64
	Outputs    []Unit
	// Link of the outputs, likewise; empty for none.
	Link []float64
	// Ciphertexts that are answered, each with a ciphertext of its own.
	Ciphertexts int
}

// depth is the number of levels of a polynomial.
func depth(coefficients []float64) int { return bits.Len(uint(max(len(coefficients), 1) - 1)) }

// Levels that the network takes.
func (j Network) Levels() int {
	if len(j.Hidden) == 0 {
		return weightedLevels + depth(j.Link)
	}
	return weightedLevels + depth(j.Activation) + 1 + depth(j.Link)
}

// limit of a number.
type limit struct {
	field              string
	found, least, most int
}

func checkLimits(limits []limit) error {
	for _, limit := range limits {
		if limit.found < limit.least || limit.found > limit.most {
			return fmt.Errorf("%s: %d; allowed are %d to %d", limit.field, limit.found, limit.least, limit.most)
		}
	}
	return nil
}

// checkRows refuses rows that are none of a frame.
func (j Network) checkRows() error {
	return checkLimits([]limit{
		{"log_stride", j.LogStride, 0, MostLogStride},
		{"columns", j.Columns, 1, 1 << max(0, min(j.LogStride, MostLogStride))},
	})
}

// Check refuses numbers out of range, and layers that do not fit each other.
func (j Network) Check() error {
	if err := j.checkRows(); err != nil {
		return err
	}
	limits := []limit{
		{"hidden", len(j.Hidden), 0, MostHidden},
		{"outputs", len(j.Outputs), 1, min(MostOutputs, 1<<max(0, min(j.LogStride, MostLogStride)))},
		{"activation", len(j.Activation), 2 * min(1, len(j.Hidden)), MostCoefficients * min(1, len(j.Hidden))},
		{"link", len(j.Link), 0, MostCoefficients},
	}
	if err := checkLimits(limits); err != nil {
		return err
	}
	inputs := j.Columns
	for _, layer := range [][]Unit{j.Hidden, j.Outputs} {
		for _, unit := range layer {
			if len(unit.Weights) != inputs {
				return fmt.Errorf("weights: %d; allowed are %d", len(unit.Weights), inputs)
			}
			if err := checkNumbers("weights", mostCoefficient, append(unit.Weights[:inputs:inputs], unit.Bias)); err != nil {
				return err
			}
		}
		if len(layer) > 0 {
			inputs = len(layer)
		}
	}
	for _, coefficients := range [][]float64{j.Activation, j.Link} {
		if err := checkNumbers("polynomial", mostCoefficient, coefficients); err != nil {
			return err
		}
	}
	return checkCiphertexts(j.Ciphertexts)
}

func checkNumbers(field string, most float64, numbers []float64) error {
	for _, number := range numbers {
		if !(math.Abs(number) <= most) {
			return fmt.Errorf("%s: %g; allowed are %g to %g", field, number, -most, most)
		}
	}
	return nil
}

// Size counts the stages of slots, one of each unit, and one of the answer, of each ciphertext.
func (j Network) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts * (slotReports + len(j.Hidden) + len(j.Outputs) + 1)
}

// Start begins a job that Check takes.
func (j Network) Start(c *Circuit) Work { return &network{circuit: c, job: j} }

type network struct {
	circuit *Circuit
	job     Network
}

// Answers are none: each ciphertext had its own.
func (n *network) Answers() ([]*Answer, error) { return nil, nil }

// pair are ciphertexts of both halves.
type pair [2]*rlwe.Ciphertext

// Add answers for the rows of one ciphertext. Before outputs go to their places, slots that are no row's first hold what the
// network makes of zeros without constants in its first layer.
func (n *network) Add(valid Valid, c0, c1 []uint64) ([]*Answer, error) {
	c, j := n.circuit, n.job
	if levels := j.Levels(); levels > c.ring.Levels {
		return nil, fmt.Errorf("levels: %d; allowed are %d", levels, c.ring.Levels)
	}
	slots, err := c.ToSlots(valid, c0, c1)
	if err != nil {
		return nil, err
	}
	rows := n.rows(valid)
	outputs, err := n.outputs(valid, rows, slots)
	if err != nil {
		return nil, err
	}
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	answer, err := n.answer(rows, outputs, j.ofZeros)
	return []*Answer{answer}, err
}

// answer has output c of each row in the place of column c. Outputs are constants where no row begins.
func (n *network) answer(rows Valid, outputs []pair, constant func(output int) float64) (*Answer, error) {
	packed, err := n.packed(outputs, constant)
	if err != nil {
		return nil, err
	}
	step, stride := n.circuit.ring.Step(), 1<<n.job.LogStride
	return n.circuit.readings(packed, func(coefficient int) float64 {
		column := coefficient / step % stride
		if column < len(outputs) && rows.at(coefficient-column*step) {
			return constant(column)
		}
		return NoReading
	})
}

// place is what a column adds to the number of a slot.
func (n *network) place(column int) int { return int(slotOf(column, n.job.LogStride)) << n.lowest() }

// rotated brings slots that far behind to each slot, by powers of two, of which there are keys.
func (n *network) rotated(of *rlwe.Ciphertext, apart int) (*rlwe.Ciphertext, error) {
	evaluator, result := n.circuit.evaluator.Evaluator, of.CopyNew()
	for power := range bits.Len(uint(apart)) {
		if apart>>power&1 == 0 {
			continue
		}
		if err := evaluator.Rotate(result, 1<<power, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// lowest is the lowest bit of a slot that tells the column, from which on they are in reverse.
func (n *network) lowest() int {
	parameters := n.circuit.ring.Parameters
	return parameters.LogN() - 1 - bits.Len(uint(n.circuit.ring.Step()-1)) - n.job.LogStride
}

// packed moves each output from the first column's slots to those of its own column, and all others hold zero. Those with the
// same bit of their column's slot go that way together.
func (n *network) packed(outputs []pair, constant func(output int) float64) (pair, error) {
	evaluator, logStride := n.circuit.evaluator.Evaluator, n.job.LogStride
	places := make([]pair, 1<<logStride)
	for number, output := range outputs {
		for _, half := range output {
			evaluator.DropLevel(half, half.Level())
			if err := evaluator.Add(half, -constant(number), half); err != nil {
				return pair{}, err
			}
		}
		places[slotOf(number, logStride)] = output
	}
	for bit := range logStride {
		for place := range places {
			if place>>bit&1 == 0 || places[place][0] == nil {
				continue
			}
			if err := n.back(places[place], n.lowest()+bit); err != nil {
				return pair{}, err
			}
			if err := n.add(&places[place-1<<bit], places[place]); err != nil {
				return pair{}, err
			}
			places[place] = pair{}
		}
	}
	return places[0], nil
}

// back rotates by -2^bit: forwards by all powers of two from there on, of which there are keys.
func (n *network) back(of pair, bit int) error {
	for power := bit; power < n.circuit.ring.Parameters.LogN()-1; power++ {
		for _, half := range of {
			if err := n.circuit.evaluator.Evaluator.Rotate(half, 1<<power, half); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds ciphertexts to others, or puts them where none are.
func (n *network) add(total *pair, more pair) error {
	for half, ciphertext := range more {
		var err error
		if total[half], err = n.circuit.sum(total[half], ciphertext); err != nil {
			return err
		}
	}
	return nil
}

// rows are the first coefficients of rows that hold readings.
func (n *network) rows(valid Valid) Valid {
	rows, step := make(Valid, len(valid)), n.circuit.ring.Step()
	for coefficient := range 8 * len(valid) {
		if valid.at(coefficient) && coefficient/step%(1<<n.job.LogStride) == 0 {
			rows[coefficient/8] |= 1 << (coefficient % 8)
		}
	}
	return rows
}

// outputs are those of the hidden layer, unit by unit, or of the readings.
func (n *network) outputs(valid, rows Valid, slots *Slots) ([]pair, error) {
	outputs := make([]pair, len(n.job.Outputs))
	for at, unit := range n.job.Hidden {
		hidden, err := n.unit(valid, rows, slots, unit, n.job.Activation)
		if err != nil {
			return nil, err
		}
		for number, output := range n.job.Outputs {
			if err := n.accumulate(&outputs[number], hidden, output.Weights[at]); err != nil {
				return nil, err
			}
		}
	}
	for number, output := range n.job.Outputs {
		var err error
		if len(n.job.Hidden) == 0 {
			outputs[number], err = n.unit(valid, rows, slots, output, n.job.Link)
		} else {
			err = n.linked(outputs[number], output.Bias)
		}
		if err != nil {
			return nil, err
		}
	}
	return outputs, nil
}

// unit is a weighted sum of each row's readings, in the slot of its first one, and a polynomial of it.
func (n *network) unit(valid, rows Valid, slots *Slots, unit Unit, coefficients []float64) (sums pair, err error) {
	c := n.circuit
	if err := c.Stage(StagePolynomials); err != nil {
		return sums, err
	}
	for half := range sums {
		if sums[half], err = n.weighted(valid, rows, slots, half, unit); err != nil {
			return sums, err
		}
	}
	return sums, n.apply(sums, coefficients)
}

// apply replaces ciphertexts by a polynomial of them; none leaves them.
func (n *network) apply(of pair, coefficients []float64) error {
	if len(coefficients) == 0 {
		return nil
	}
	parameters := n.circuit.ring.Parameters
	polynomials := polynomial.NewEvaluator(parameters, n.circuit.evaluator.Evaluator)
	chebyshev := bignum.NewPolynomial(bignum.Chebyshev, coefficients, [2]float64{-1, 1})
	for _, ciphertext := range of {
		made, err := polynomials.Evaluate(ciphertext, chebyshev, parameters.DefaultScale())
		if err != nil {
			return err
		}
		*ciphertext = *made
	}
	return nil
}

// weighted sums up each row: a column's bits of a coefficient's number are bits of its slot, in reverse, so that rotations by
// powers of two add up all columns in the slot of the first one. All others become zero.
func (n *network) weighted(valid, rows Valid, slots *Slots, half int, unit Unit) (*rlwe.Ciphertext, error) {
	c := n.circuit
	step, stride := c.ring.Step(), 1<<n.job.LogStride
	weights := func(coefficient int) float64 {
		column := coefficient / step % stride
		if !valid.at(coefficient) || column >= n.job.Columns {
			return 0
		}
		return unit.Weights[column] / slots.Unit
	}
	sum, err := c.times(slots.Halves[half], half, weights)
	if err != nil {
		return nil, err
	}
	evaluator := c.evaluator.Evaluator
	for bit := range n.job.LogStride {
		rotated, err := evaluator.RotateNew(sum, 1<<(n.lowest()+bit))
		if err != nil {
			return nil, err
		}
		if err := evaluator.Add(sum, rotated, sum); err != nil {
			return nil, err
		}
	}
	if sum, err = c.times(sum, half, rows.either(1, 0)); err != nil {
		return nil, err
	}
	biases := c.inSlots(half, rows.either(unit.Bias, 0))
	return sum, evaluator.Add(sum, biases, sum)
}

// accumulate adds a weight times hidden units, before they are rescaled.
func (n *network) accumulate(total *pair, hidden pair, weight float64) error {
	var scaled pair
	for half, ciphertext := range hidden {
		var err error
		// An integer weight would leave the scale of Lattigo's product as it is.
		if scaled[half], err = n.circuit.timesNumber(ciphertext, weight); err != nil {
			return err
		}
	}
	return n.add(total, scaled)
}

// linked rescales sums of hidden units, adds the constant and applies the link.
func (n *network) linked(sums pair, bias float64) error {
	evaluator := n.circuit.evaluator.Evaluator
	if err := n.circuit.Stage(StagePolynomials); err != nil {
		return err
	}
	for _, sum := range sums {
		if err := evaluator.Rescale(sum, sum); err != nil {
			return err
		}
		if err := evaluator.Add(sum, bias, sum); err != nil {
			return err
		}
	}
	return n.apply(sums, n.job.Link)
}

// ofZeros is an output where all sums of the first layer are zero.
func (j Network) ofZeros(output int) float64 {
	sum := 0.0
	if len(j.Hidden) > 0 {
		unit, hidden := j.Outputs[output], chebyshev(j.Activation, 0)
		sum = unit.Bias
		for _, weight := range unit.Weights {
			sum += weight * hidden
		}
	}
	if len(j.Link) == 0 {
		return sum
	}
	return chebyshev(j.Link, sum)
}

// chebyshev evaluates a polynomial on [-1, 1] by Clenshaw's recurrence.
func chebyshev(coefficients []float64, x float64) float64 {
	next, afterNext := 0.0, 0.0
	for k := len(coefficients) - 1; k > 0; k-- {
		next, afterNext = coefficients[k]+2*x*next-afterNext, next
	}
	return coefficients[0] + x*next - afterNext
}

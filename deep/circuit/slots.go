// Package circuit computes on merged frames with evaluation keys alone.
package circuit

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/bootstrapping"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/dft"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/mod1"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/polynomial"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"

	"isopod/deep/keyset"
	"isopod/deep/size"
)

// Stages of a job, in order.
const (
	StageKeys = iota
	StageRaise
	StageSlots
	StageReduce
	StagePolynomials
	StageAnswer
)

// slotReports are those of ToSlots: StageRaise, StageSlots and StageReduce.
const slotReports = 3

// Circuit is ready to compute with one set of keys.
type Circuit struct {
	ring      *size.Ring
	evaluator *bootstrapping.Evaluator
	frames    *rlwe.EvaluationKey
	answers   *rlwe.Evaluator
	toFrames  *rlwe.EvaluationKey
	// Stage is told each stage before it begins.
	Stage func(stage int) error
}

// New reads the keys that stay in memory and prepares the matrices of CoeffsToSlots. Expanded rotation keys take at most `room`
// bytes.
func New(r *size.Ring, folder string, id keyset.Identity, room int64) (*Circuit, error) {
	store := keyset.NewStore(folder, id, r, room)
	c := &Circuit{ring: r, Stage: func(int) error { return nil }}
	var err error
	if c.frames, err = keyset.Read(folder, keyset.FromFrames, id, r.Parameters); err != nil {
		return nil, err
	}
	if c.toFrames, err = keyset.Read(folder, keyset.ToFrames, id, r.Answers); err != nil {
		return nil, err
	}
	ephemeral, err := keyset.Read(folder, keyset.FromEphemeral, id, r.Parameters)
	if err != nil {
		return nil, err
	}
	c.answers = rlwe.NewEvaluator(r.Answers, nil)
	c.evaluator, err = evaluator(r, store, ephemeral)
	return c, err
}

// evaluator assembles Lattigo's bootstrapping without SlotsToCoeffs, which no job needs.
func evaluator(r *size.Ring, store *keyset.Store, ephemeral *rlwe.EvaluationKey) (*bootstrapping.Evaluator, error) {
	sine, err := mod1.NewParametersFromLiteral(r.Parameters, r.Sine)
	if err != nil {
		return nil, err
	}
	slots := r.Slots
	// The sine is approximated on [-1, 1] in units of K q0, and q0 is no power of two.
	divisor := sine.K * sine.QDiff
	nearest := math.Exp2(math.Round(math.Log2(float64(r.Modulus()))))
	slots.Scaling = big.NewFloat(math.Min(1, sine.ScalingFactor().Float64()/nearest) / divisor)
	matrix, err := dft.NewMatrixFromLiteral(r.Parameters, slots, ckks.NewEncoder(r.Parameters))
	if err != nil {
		return nil, err
	}
	basic := ckks.NewEvaluator(r.Parameters, store)
	return &bootstrapping.Evaluator{
		Parameters: bootstrapping.Parameters{BootstrappingParameters: r.Parameters, CoeffsToSlotsParameters: slots,
			Mod1ParametersLiteral: r.Sine, EphemeralSecretWeight: size.EphemeralWeight},
		Evaluator:      basic,
		EvaluationKeys: &bootstrapping.EvaluationKeys{EvkSparseToDense: ephemeral},
		DFTEvaluator:   dft.NewEvaluator(r.Parameters, basic),
		Mod1Evaluator:  mod1.NewEvaluator(basic, polynomial.NewEvaluator(r.Parameters, basic), sine),
		Mod1Parameters: sine,
		C2SDFTMatrix:   matrix,
	}, nil
}

// Slots holds the coefficients of a merged ciphertext in slots, in two halves: coefficient p of a half in slot bitrev(p).
type Slots struct {
	Halves [2]*rlwe.Ciphertext
	// Unit is what a slot holds where a coefficient is 1 modulo q of the frames.
	Unit float64
}

// ToSlots takes c0 and c1 modulo q0 under the frames' key, of which at least one coefficient must be said to be a reading.
func (c *Circuit) ToSlots(valid Valid, c0, c1 []uint64) (*Slots, error) {
	if c.ring.TablesAlone {
		return nil, fmt.Errorf("job: needs a sine; %s has tables alone", c.ring.Name)
	}
	halves, err := c.halves(valid, c0, c1)
	if err != nil {
		return nil, err
	}
	slots := &Slots{Unit: c.unit()}
	for half, ciphertext := range halves {
		if slots.Halves[half], err = c.evaluator.EvalMod(ciphertext); err != nil {
			return nil, err
		}
		if slots.Halves[half].Level() != c.ring.Levels {
			return nil, fmt.Errorf("level: %d; allowed is %d", slots.Halves[half].Level(), c.ring.Levels)
		}
	}
	return slots, nil
}

// halves raises the modulus, and puts both halves of the coefficients into slots, with the multiples of q0 that the raise leaves.
func (c *Circuit) halves(valid Valid, c0, c1 []uint64) (halves pair, err error) {
	if err := valid.check(c.ring.Parameters.N()); err != nil {
		return halves, err
	}
	ciphertext, err := c.raise(c0, c1)
	if err != nil {
		return halves, err
	}
	if err := c.Stage(StageSlots); err != nil {
		return halves, err
	}
	if halves[0], halves[1], err = c.evaluator.CoeffsToSlots(ciphertext); err != nil {
		return halves, err
	}
	return halves, c.Stage(StageReduce)
}

// raise goes to the ephemeral secret, to all primes and to S.
func (c *Circuit) raise(c0, c1 []uint64) (*rlwe.Ciphertext, error) {
	if err := c.Stage(StageRaise); err != nil {
		return nil, err
	}
	parameters := c.ring.Parameters
	ciphertext := ckks.NewCiphertext(parameters, 1, 0)
	copy(ciphertext.Value[0].Coeffs[0], c0)
	copy(ciphertext.Value[1].Coeffs[0], c1)
	lowest := parameters.RingQ().AtLevel(0)
	for i := range ciphertext.Value {
		lowest.NTT(ciphertext.Value[i], ciphertext.Value[i])
	}
	ciphertext.IsNTT = true
	ciphertext.LogDimensions = parameters.LogMaxDimensions()
	ciphertext.Scale = rlwe.NewScale(c.scale())
	if err := c.evaluator.ApplyEvaluationKey(ciphertext, c.frames, ciphertext); err != nil {
		return nil, err
	}
	return c.evaluator.ModUp(ciphertext)
}

// scale of a merged ciphertext: q0 over the message ratio, as a power of two.
func (c *Circuit) scale() float64 {
	return math.Exp2(math.Round(math.Log2(float64(c.ring.Modulus()))) - size.LogMessageRatio)
}

// unit follows the scales of Lattigo's bootstrapping, whose last factor belongs to SlotsToCoeffs.
func (c *Circuit) unit() float64 {
	sine := c.evaluator.Mod1Parameters
	merged := float64(c.ring.Modulus()) / size.FrameModulus / c.scale()
	return merged * (sine.ScalingFactor().Float64() / sine.MessageRatio()) / c.ring.Parameters.DefaultScale().Float64()
}

// scaled is (reading - threshold) / range in the slots of readings, and another number in all others. It takes one level.
func (c *Circuit) scaled(valid Valid, slots *Slots, half int, edge Edge, none float64) (*rlwe.Ciphertext, error) {
	factor := 1 / edge.Range
	x, err := c.times(slots.Halves[half], half, valid.either(factor/slots.Unit, 0))
	if err != nil {
		return nil, err
	}
	return x, c.evaluator.Evaluator.Add(x, c.inSlots(half, valid.either(-edge.Threshold*factor, none)), x)
}

// times multiplies each slot of a half by a number of its coefficient. It takes one level.
func (c *Circuit) times(ciphertext *rlwe.Ciphertext, half int, factor func(coefficient int) float64) (*rlwe.Ciphertext, error) {
	return c.timesEach(ciphertext, ciphertext.Scale, c.inSlots(half, factor))
}

// timesEach multiplies each slot by its number, to this scale. It takes one level.
func (c *Circuit) timesEach(ciphertext *rlwe.Ciphertext, scale rlwe.Scale, factors []float64) (*rlwe.Ciphertext, error) {
	parameters, evaluator := c.ring.Parameters, c.evaluator.Evaluator
	plaintext := ckks.NewPlaintext(parameters, ciphertext.Level())
	plaintext.Scale = rlwe.NewScale(parameters.Q()[ciphertext.Level()]).Mul(scale).Div(ciphertext.Scale)
	if err := ckks.NewEncoder(parameters).Encode(factors, plaintext); err != nil {
		return nil, err
	}
	product, err := evaluator.MulNew(ciphertext, plaintext)
	if err != nil {
		return nil, err
	}
	return product, evaluator.Rescale(product, product)
}

// timesNumber multiplies all slots by a number, whose scale is the prime that a later division takes.
func (c *Circuit) timesNumber(ciphertext *rlwe.Ciphertext, number float64) (*rlwe.Ciphertext, error) {
	prime := c.ring.Parameters.Q()[ciphertext.Level()]
	integer, _ := new(big.Float).Mul(big.NewFloat(number), new(big.Float).SetUint64(prime)).Int(nil)
	product, err := c.evaluator.Evaluator.MulNew(ciphertext, integer)
	if err != nil {
		return nil, err
	}
	product.Scale = product.Scale.Mul(rlwe.NewScale(prime))
	return product, nil
}

// inSlots has a number for each coefficient of a half, in its slot.
func (c *Circuit) inSlots(half int, number func(coefficient int) float64) []float64 {
	logSlots := c.ring.Parameters.LogN() - 1
	numbers := make([]float64, 1<<logSlots)
	for p := range numbers {
		numbers[slotOf(p, logSlots)] = number(half*len(numbers) + p)
	}
	return numbers
}

// Valid has a bit for each coefficient of a merged ciphertext that holds a reading, the lowest bit of a byte first.
type Valid []byte

func (v Valid) check(degree int) error {
	switch {
	case len(v)*8 != degree:
		return fmt.Errorf("valid: %d bytes; allowed are %d", len(v), degree/8)
	case v.readings() == 0:
		return fmt.Errorf("valid: no reading; allowed are 1 to %d", degree)
	}
	return nil
}

func (v Valid) readings() int {
	total := 0
	for _, eight := range v {
		total += bits.OnesCount8(eight)
	}
	return total
}

func (v Valid) at(coefficient int) bool { return v[coefficient/8]>>(coefficient%8)&1 == 1 }

// either is a number for each coefficient that holds a reading, and another one for the others.
func (v Valid) either(reading, none float64) func(coefficient int) float64 {
	return func(coefficient int) float64 {
		if v.at(coefficient) {
			return reading
		}
		return none
	}
}

// slotOf is the slot of coefficient p of a half.
func slotOf(p, logSlots int) uint64 { return bits.Reverse64(uint64(p)) >> (64 - logSlots) }

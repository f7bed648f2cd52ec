package circuit

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"

	"isopod/deep/size"
)

// LogAnswerScale is the scale at which a mean of the slots of one ciphertext leaves modulo the prime of answers. The mean is 4
// where all readings of both halves count, and the owner reads numbers up to a quarter of the modulus. Twice as many ciphertexts
// leave at half the scale.
const LogAnswerScale = 25

// MostEdges of one histogram.
const MostEdges = 32

// Edge is a threshold that every reading is compared with.
type Edge struct {
	// Threshold and Range are in units of a coefficient modulo q: |coefficient - Threshold| <= Range for every reading.
	Threshold, Range float64
}

// Count asks how many readings are above a threshold.
type Count struct {
	Edge
	// Below asks for readings below the threshold instead.
	Below bool
	// Ciphertexts that are counted together.
	Ciphertexts int
}

// Histogram asks how many readings are in each bin: below the first edge, between two, and above the last one.
type Histogram struct {
	// Edges ascend.
	Edges []Edge
	// Ciphertexts that are counted together.
	Ciphertexts int
}

func (e Edge) check() error {
	limit := float64(size.FrameModulus)
	switch {
	case !(math.Abs(e.Threshold) <= limit):
		return fmt.Errorf("threshold: %g; allowed are %g to %g", e.Threshold, -limit, limit)
	case !(e.Range >= 1 && e.Range <= 2*limit):
		return fmt.Errorf("range: %g; allowed are 1 to %g", e.Range, 2*limit)
	}
	return nil
}

// Check refuses numbers out of range.
func (j Count) Check() error {
	if err := j.Edge.check(); err != nil {
		return err
	}
	return checkCiphertexts(j.Ciphertexts)
}

// Check refuses numbers out of range, and edges that do not ascend.
func (j Histogram) Check() error {
	if len(j.Edges) < 1 || len(j.Edges) > MostEdges {
		return fmt.Errorf("edges: %d; allowed are 1 to %d", len(j.Edges), MostEdges)
	}
	for at, edge := range j.Edges {
		if err := edge.check(); err != nil {
			return err
		}
		if at > 0 && !(j.Edges[at-1].Threshold < edge.Threshold) {
			return fmt.Errorf("edges: %g behind %g; allowed are ascending ones", edge.Threshold, j.Edges[at-1].Threshold)
		}
	}
	return checkCiphertexts(j.Ciphertexts)
}

// Size counts the stages of slots, and one of signs, of each ciphertext, and one of the answer.
func (j Count) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts*(slotReports+1) + 1
}

// Size counts the stages of slots, and one of signs for each edge, of each ciphertext, and one of the answers.
func (j Histogram) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts*(slotReports+len(j.Edges)) + 1
}

// counting is a count on its way.
type counting struct {
	circuit *Circuit
	edges   []Edge
	// signs has the sum of all signs at each edge.
	signs []*rlwe.Ciphertext
	// asked are the bins that are answered, from 0 below the first edge to as many as there are edges.
	asked       []int
	ciphertexts int
	// readings, and slots of none, of everything that was added.
	readings, others int
}

// Start begins a count that Check takes, of the bin on one side of one edge.
func (j Count) Start(c *Circuit) Work {
	bin := 1
	if j.Below {
		bin = 0
	}
	return newCounting(c, []Edge{j.Edge}, []int{bin}, j.Ciphertexts)
}

// Start begins a histogram that Check takes.
func (j Histogram) Start(c *Circuit) Work {
	bins := make([]int, len(j.Edges)+1)
	for bin := range bins {
		bins[bin] = bin
	}
	return newCounting(c, j.Edges, bins, j.Ciphertexts)
}

func newCounting(c *Circuit, edges []Edge, asked []int, ciphertexts int) *counting {
	signs := make([]*rlwe.Ciphertext, len(edges))
	return &counting{circuit: c, edges: edges, signs: signs, asked: asked, ciphertexts: ciphertexts}
}

// quiet is what slots of no reading hold while signs are added up. Coefficients of no reading are any numbers, and leave noise
// where they are multiplied by zero. It hardly moves a sign here, and a thousand times as much near zero.
const quiet = 0.5

// Add counts one ciphertext. A slot of no reading becomes `quiet` before anything else; Answers take its sign off.
func (j *counting) Add(valid Valid, c0, c1 []uint64) ([]*Answer, error) {
	c := j.circuit
	slots, err := c.ToSlots(valid, c0, c1)
	if err != nil {
		return nil, err
	}
	for at, edge := range j.edges {
		if err := c.Stage(StagePolynomials); err != nil {
			return nil, err
		}
		for half := range slots.Halves {
			sign, err := c.sign(edge, valid, slots, half, quiet)
			if err != nil {
				return nil, err
			}
			if j.signs[at], err = c.sum(j.signs[at], sign); err != nil {
				return nil, err
			}
		}
	}
	j.readings += valid.readings()
	j.others += 8*len(valid) - valid.readings()
	return nil, nil
}

// Answers are the bins that were asked for, of everything that was added.
func (j *counting) Answers() ([]*Answer, error) {
	c := j.circuit
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	half := float64(c.ring.Parameters.MaxSlots())
	answers := make([]*Answer, len(j.asked))
	for at, bin := range j.asked {
		twice, err := j.twice(bin)
		if err != nil {
			return nil, err
		}
		if answers[at], err = c.number(twice, float64(LogAnswerScale-bits.Len(uint(j.ciphertexts-1)))); err != nil {
			return nil, err
		}
		// The mean of all slots is the constant coefficient: twice the answer over the slots.
		answers[at].Scale *= 2 / half
	}
	return answers, nil
}

// twice has twice the readings of a bin over the slots as its mean. A sign is -1 below its edge and 1 above it: (1 - sign) / 2
// counts readings below the first edge, (1 + sign) / 2 those above the last one, and half the difference of two signs those
// between their edges. The signs of slots without a reading are the same at each edge.
func (j *counting) twice(bin int) (*rlwe.Ciphertext, error) {
	evaluator, slots := j.circuit.evaluator.Evaluator, float64(j.circuit.ring.Parameters.MaxSlots())
	all := float64(j.readings) / slots
	none := float64(j.others) * signsOf[MostSignLevels].at(quiet) / slots
	switch bin {
	case len(j.edges):
		return evaluator.AddNew(j.signs[bin-1], all-none)
	case 0:
		negative, err := evaluator.MulNew(j.signs[0], -1)
		if err != nil {
			return nil, err
		}
		return negative, evaluator.Add(negative, all+none, negative)
	default:
		return evaluator.SubNew(j.signs[bin-1], j.signs[bin])
	}
}

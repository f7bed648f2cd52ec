package circuit

import (
	"fmt"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
)

// Limits of a decision.
const (
	MostNodes  = 128
	MostLeaves = 256
	MostPath   = 8
	// LeafUnit is the sum of the largest values of all trees: values of leaves are integers, which take no level.
	LeafUnit = 1 << 14
)

// Leaf is what the nodes on its path lead to.
type Leaf struct {
	// Path has the number of each node, from 1, negative where its sum is below zero.
	Path []int
	// Values that it adds to each output, in units of 1 / LeafUnit.
	Values []int
}

// Decision asks for the sum of the leaves that each row reaches: those of trees, or of comparisons of every two outputs. Output c
// is in the place of column c.
type Decision struct {
	// LogStride and Columns: rows begin at multiples of 2^LogStride coefficients of a frame.
	LogStride, Columns int
	// Nodes are weighted sums of a row from -1 to 1. Weights are in units of a coefficient modulo q.
	Nodes []Unit
	// SignLevels are those of the sign of each node.
	SignLevels int
	// Outputs, and the leaves with a value for each.
	Outputs int
	Leaves  []Leaf
	// Ciphertexts that are answered, each with a ciphertext of its own.
	Ciphertexts int
}

// Check refuses numbers out of range, and paths that no nodes have.
func (j Decision) Check() error {
	rows := Network{LogStride: j.LogStride, Columns: j.Columns}
	if err := rows.checkRows(); err != nil {
		return err
	}
	if err := checkLimits([]limit{
		{"nodes", len(j.Nodes), 1, MostNodes},
		{"sign_levels", j.SignLevels, FewestSignLevels, MostSignLevels},
		{"outputs", j.Outputs, 1, min(MostOutputs, 1<<j.LogStride)},
		{"leaves", len(j.Leaves), 1, MostLeaves},
	}); err != nil {
		return err
	}
	for _, node := range j.Nodes {
		if len(node.Weights) != j.Columns {
			return fmt.Errorf("weights: %d; allowed are %d", len(node.Weights), j.Columns)
		}
		if err := checkNumbers("weights", mostCoefficient, append(node.Weights[:j.Columns:j.Columns], node.Bias)); err != nil {
			return err
		}
	}
	for _, leaf := range j.Leaves {
		if err := j.checkLeaf(leaf); err != nil {
			return err
		}
	}
	return checkCiphertexts(j.Ciphertexts)
}

func (j Decision) checkLeaf(leaf Leaf) error {
	if len(leaf.Values) != j.Outputs {
		return fmt.Errorf("values: %d; allowed are %d", len(leaf.Values), j.Outputs)
	}
	limits := []limit{{"path", len(leaf.Path), 1, MostPath}}
	for _, node := range leaf.Path {
		limits = append(limits, limit{"node", max(node, -node), 1, len(j.Nodes)})
	}
	for _, value := range leaf.Values {
		limits = append(limits, limit{"value", value, 0, LeafUnit})
	}
	return checkLimits(limits)
}

// Levels that the decision takes: those of the sums, of the signs, and of products along the longest path.
func (j Decision) Levels() int {
	sums, longest := 1, 0
	for _, node := range j.Nodes {
		if _, isSingle := single(node); !isSingle {
			sums = weightedLevels
		}
	}
	for _, leaf := range j.Leaves {
		longest = max(longest, len(leaf.Path))
	}
	return sums + j.SignLevels + bits.Len(uint(longest-1))
}

// single is the only column that has a weight, if there is just one.
func single(node Unit) (column int, isSingle bool) {
	found := 0
	for at, weight := range node.Weights {
		if weight != 0 {
			column, found = at, found+1
		}
	}
	return column, found == 1
}

// Size counts the stages of slots, two of each node, and one of the answer, of each ciphertext.
func (j Decision) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts * (slotReports + 2*len(j.Nodes) + 1)
}

// Start begins a job that Check takes.
func (j Decision) Start(c *Circuit) Work {
	return &decision{network: network{circuit: c, job: Network{LogStride: j.LogStride, Columns: j.Columns}}, job: j}
}

type decision struct {
	network
	job Decision
}

// Add answers for the rows of one ciphertext. All sums are 1 where no row begins, where noise hardly moves a sign.
func (d *decision) Add(valid Valid, c0, c1 []uint64) ([]*Answer, error) {
	c, j := d.circuit, d.job
	if levels := j.Levels(); levels > c.ring.Levels {
		return nil, fmt.Errorf("levels: %d; allowed are %d", levels, c.ring.Levels)
	}
	slots, err := c.ToSlots(valid, c0, c1)
	if err != nil {
		return nil, err
	}
	rows, outputs := d.rows(valid), make([]pair, j.Outputs)
	for half := range slots.Halves {
		sums, err := d.half(valid, rows, slots, half)
		if err != nil {
			return nil, err
		}
		for output, sum := range sums {
			outputs[output][half] = sum
		}
	}
	if err := c.Stage(StageAnswer); err != nil {
		return nil, err
	}
	answer, err := d.answer(rows, outputs, j.elsewhere)
	return []*Answer{answer}, err
}

// half has the outputs in the slots of one half.
func (d *decision) half(valid, rows Valid, slots *Slots, half int) ([]*rlwe.Ciphertext, error) {
	factors := products{circuit: d.circuit, made: map[string]*rlwe.Ciphertext{}}
	for number, node := range d.job.Nodes {
		if err := d.circuit.Stage(StagePolynomials); err != nil {
			return nil, err
		}
		sum, err := d.sum(valid, rows, slots, half, node)
		if err != nil {
			return nil, err
		}
		sign, err := d.circuit.signOf(sum, signsOf[d.job.SignLevels], 0.5)
		if err != nil {
			return nil, err
		}
		if err := factors.add(number+1, sign); err != nil {
			return nil, err
		}
	}
	return d.leaves(factors)
}

// sum is a node's weighted sum of each row, in the slot of its first reading, and 1 elsewhere. Of a single column it takes one
// level, since nothing but that column moves.
func (d *decision) sum(valid, rows Valid, slots *Slots, half int, node Unit) (*rlwe.Ciphertext, error) {
	c, column := d.circuit, 0
	var sum *rlwe.Ciphertext
	var err error
	column, isSingle := single(node)
	if isSingle {
		step, stride := c.ring.Step(), 1<<d.job.LogStride
		sum, err = c.times(slots.Halves[half], half, func(coefficient int) float64 {
			if !valid.at(coefficient) || coefficient/step%stride != column {
				return 0
			}
			return node.Weights[column] / slots.Unit
		})
		if err == nil {
			sum, err = d.rotated(sum, d.place(column))
		}
	} else {
		sum, err = d.weighted(valid, rows, slots, half, Unit{Weights: node.Weights})
	}
	if err != nil {
		return nil, err
	}
	return sum, c.evaluator.Evaluator.Add(sum, c.inSlots(half, rows.either(node.Bias, 1)), sum)
}

// leaves add up: products along their paths times their values.
func (d *decision) leaves(factors products) ([]*rlwe.Ciphertext, error) {
	evaluator, outputs := d.circuit.evaluator.Evaluator, make([]*rlwe.Ciphertext, d.job.Outputs)
	for _, leaf := range d.job.Leaves {
		reached, err := factors.along(leaf.Path)
		if err != nil {
			return nil, err
		}
		lowest := reached.CopyNew()
		evaluator.DropLevel(lowest, lowest.Level())
		for output, value := range leaf.Values {
			scaled, err := evaluator.MulNew(lowest, value)
			if err != nil {
				return nil, err
			}
			if outputs[output] == nil {
				outputs[output] = scaled
			} else if err := evaluator.Add(outputs[output], scaled, outputs[output]); err != nil {
				return nil, err
			}
		}
	}
	for _, output := range outputs {
		output.Scale = output.Scale.Mul(rlwe.NewScale(LeafUnit))
	}
	return outputs, nil
}

// elsewhere is an output where every node's sum is 1.
func (j Decision) elsewhere(output int) float64 {
	sign, sum := signsOf[j.SignLevels].at(1), 0.0
	for _, leaf := range j.Leaves {
		product := float64(leaf.Values[output]) / LeafUnit
		for _, node := range leaf.Path {
			if node > 0 {
				product *= (1 + sign) / 2
			} else {
				product *= (1 - sign) / 2
			}
		}
		sum += product
	}
	return sum
}

// products of factors along paths, each made once.
type products struct {
	circuit *Circuit
	made    map[string]*rlwe.Ciphertext
}

// add makes the factors of a node, 1 or 0 by half of its sign.
func (p products) add(node int, half *rlwe.Ciphertext) error {
	evaluator := p.circuit.evaluator.Evaluator
	above, err := evaluator.AddNew(half, 0.5)
	if err != nil {
		return err
	}
	below, err := evaluator.MulNew(half, -1)
	if err != nil {
		return err
	}
	p.made[key([]int{node})], p.made[key([]int{-node})] = above, below
	return evaluator.Add(below, 0.5, below)
}

func key(path []int) string { return fmt.Sprint(path) }

// along multiplies the factors of a path, in halves, so that levels grow with the logarithm of its length.
func (p products) along(path []int) (*rlwe.Ciphertext, error) {
	if made := p.made[key(path)]; made != nil {
		return made, nil
	}
	middle := 1 << (bits.Len(uint(len(path)-1)) - 1)
	first, err := p.along(path[:middle])
	if err != nil {
		return nil, err
	}
	second, err := p.along(path[middle:])
	if err != nil {
		return nil, err
	}
	product, err := p.circuit.evaluator.Evaluator.MulRelinNew(first, second)
	if err != nil {
		return nil, err
	}
	p.made[key(path)] = product
	return product, p.circuit.evaluator.Evaluator.Rescale(product, product)
}

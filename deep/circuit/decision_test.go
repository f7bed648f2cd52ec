//go:build insecure

package circuit

import (
	"math"
	"math/rand"
	"strings"
	"testing"
)

// branch compares one column with a threshold in the unit of the readings.
func branch(column int, threshold float64) Unit {
	weights := make([]float64, columns)
	weights[column] = 1
	return sum(-threshold, weights...)
}

// reached is an output in the clear; a row that is within the gap of a node has none.
func reached(job Decision, values []int64, at, step, output int) (value float64, isFar bool) {
	for _, leaf := range job.Leaves {
		product := float64(leaf.Values[output]) / LeafUnit
		for _, node := range leaf.Path {
			of := inClear(values, at, step, job.Nodes[max(node, -node)-1])
			if math.Abs(of) < signsOf[job.SignLevels].gap+0.004 {
				return 0, false
			}
			if of > 0 != (node > 0) {
				product = 0
			}
		}
		value += product
	}
	return value, true
}

// decisionIs holds outputs of all rows outside of the gaps against those in the clear.
func decisionIs(t *testing.T, job Decision, most float64, fewest int) {
	t.Helper()
	f := shared(t)
	check(t, job.Check())
	step := f.ring.Step()
	values, valid, sent := rowsOf(rand.New(rand.NewSource(61)), f.ring.Parameters.N(), step)
	c0, c1 := f.merged(rand.New(rand.NewSource(62)), values, sent)
	far, furthest := 0, 0.0
	for at, found := range f.values(t, answered(t, f.circuit, job, valid, c0, c1)[0]) {
		column := at / step % (1 << logStride)
		first := at - column*step
		if column >= job.Outputs || !sent(first) {
			if math.Abs(found-NoReading) > 0.05 {
				t.Fatalf("%d: %.4f, wanted none", at, found)
			}
			continue
		}
		if wanted, isFar := reached(job, values, first, step, column); isFar {
			far, furthest = far+1, math.Max(furthest, math.Abs(found-wanted))
		}
	}
	if furthest > most || far < fewest {
		t.Errorf("%d outputs are off by %.5f; allowed are %d and %.5f", far, furthest, fewest, most)
	}
	t.Logf("%d outputs are off by %.5f", far, furthest)
}

// A tree of four leaves and one of a single comparison, whose leaves add up.
func TestAForestOfTwoTrees(t *testing.T) {
	const half = LeafUnit / 2
	nodes := []Unit{branch(0, 1.5), branch(1, -2), branch(2, 3), branch(1, 4)}
	leaves := []Leaf{{[]int{1, 2}, []int{half, 0}}, {[]int{1, -2}, []int{0, half}}, {[]int{-1, 3}, []int{half / 2, half / 4}},
		{[]int{-1, -3}, []int{0, 0}}, {[]int{4}, []int{half, half}}, {[]int{-4}, []int{0, half / 8}}}
	decisionIs(t, Decision{LogStride: logStride, Columns: columns, Nodes: nodes, SignLevels: 11, Outputs: 2, Leaves: leaves,
		Ciphertexts: 1}, 4e-3, 1000)
}

// A path of eight comparisons, one after the other.
func TestADeepTree(t *testing.T) {
	job := Decision{LogStride: logStride, Columns: columns, SignLevels: 9, Outputs: 1, Ciphertexts: 1}
	var path []int
	for node := 1; node <= MostPath; node++ {
		job.Nodes = append(job.Nodes, branch(node%columns, float64(node)-5))
		left := append(append([]int{}, path...), -node)
		job.Leaves = append(job.Leaves, Leaf{left, []int{node * LeafUnit / 10}})
		path = append(path, node)
	}
	job.Leaves = append(job.Leaves, Leaf{path, []int{LeafUnit}})
	if job.Levels() != 13 {
		t.Errorf("levels: %d", job.Levels())
	}
	decisionIs(t, job, 2e-2, 300)
}

// The largest of three scores: comparisons of every two, whose sums have several columns.
func TestTheLargestOfThreeScores(t *testing.T) {
	nodes := []Unit{sum(0.5, 1, -1, 0.5), sum(-0.5, 0.25, 1, -1), sum(1, 0.5, 0.5, 0.5)}
	leaves := []Leaf{{[]int{1, 2}, []int{LeafUnit, 0, 0}}, {[]int{-1, 3}, []int{0, LeafUnit, 0}},
		{[]int{-2, -3}, []int{0, 0, LeafUnit}}}
	decisionIs(t, Decision{LogStride: logStride, Columns: columns, Nodes: nodes, SignLevels: 10, Outputs: 3, Leaves: leaves,
		Ciphertexts: 1}, 4e-3, 1000)
}

func TestDecisionsOutOfRangeAreRefused(t *testing.T) {
	good := func() Decision {
		return Decision{LogStride: 2, Columns: 3, Nodes: []Unit{{[]float64{1, 0, 0}, 0}}, SignLevels: 10, Outputs: 1, Ciphertexts: 1,
			Leaves: []Leaf{{[]int{1}, []int{5}}}}
	}
	check(t, good().Check())
	for wanted, spoil := range map[string]func(*Decision){
		"log_stride: 11; allowed are 0 to 10":     func(j *Decision) { j.LogStride = 11 },
		"columns: 5; allowed are 1 to 4":          func(j *Decision) { j.Columns = 5 },
		"nodes: 0; allowed are 1 to 128":          func(j *Decision) { j.Nodes = nil },
		"nodes: 129":                              func(j *Decision) { j.Nodes = make([]Unit, 129) },
		"sign_levels: 7; allowed are 8 to 12":     func(j *Decision) { j.SignLevels = 7 },
		"outputs: 5; allowed are 1 to 4":          func(j *Decision) { j.Outputs = 5 },
		"leaves: 0; allowed are 1 to 256":         func(j *Decision) { j.Leaves = nil },
		"weights: 2; allowed are 3":               func(j *Decision) { j.Nodes[0].Weights = []float64{1, 1} },
		"weights: NaN; allowed are -1024 to 1024": func(j *Decision) { j.Nodes[0].Bias = math.NaN() },
		"values: 2; allowed are 1":                func(j *Decision) { j.Leaves[0].Values = []int{1, 2} },
		"value: -1; allowed are 0 to 16384":       func(j *Decision) { j.Leaves[0].Values[0] = -1 },
		"path: 0; allowed are 1 to 8":             func(j *Decision) { j.Leaves[0].Path = nil },
		"path: 9":                                 func(j *Decision) { j.Leaves[0].Path = make([]int, 9) },
		"node: 2; allowed are 1 to 1":             func(j *Decision) { j.Leaves[0].Path[0] = -2 },
		"node: 0":                                 func(j *Decision) { j.Leaves[0].Path[0] = 0 },
		"ciphertexts: 0":                          func(j *Decision) { j.Ciphertexts = 0 },
	} {
		job := good()
		spoil(&job)
		if err := job.Check(); err == nil || !strings.HasPrefix(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
	deep := good()
	deep.SignLevels, deep.Leaves[0].Path = 11, []int{1, 1, 1}
	if _, err := deep.Start(shared(t).circuit).Add(nil, nil, nil); err == nil || err.Error() != "levels: 14; allowed are 13" {
		t.Error(err)
	}
}

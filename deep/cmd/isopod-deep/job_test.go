package main

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"isopod/deep/circuit"
	"isopod/deep/pipe"
)

// count and histogram are the bodies of jobs on 5 ciphertexts.
func count(direction uint8, threshold, reach float64) pipe.Fields {
	return append(pipe.Fields{jobCount}.U32(5), direction).F64(threshold).F64(reach)
}

func histogram(edges uint8, numbers ...float64) pipe.Fields {
	body := append(pipe.Fields{jobHistogram}.U32(5), edges)
	for _, number := range numbers {
		body = body.F64(number)
	}
	return body
}

// layers is a network of two hidden units on three columns, with one output, or a spoiled one.
func layers(logStride uint8, counts [5]uint16, numbers int) pipe.Fields {
	body := append(pipe.Fields{jobNetwork}.U32(5), logStride)
	for _, count := range counts {
		body = body.U16(count)
	}
	for number := range numbers {
		body = body.F64(float64(number))
	}
	return body
}

// moments is a covariance of these pairs of columns.
func moments(columns, pairs uint16, reach float64, numbers ...uint16) pipe.Fields {
	body := append(pipe.Fields{jobCovariance}.U32(5), 2).U16(columns).U16(pairs)
	for _, number := range numbers {
		body = body.U16(number)
	}
	return body.F64(reach)
}

// tree is a decision of one comparison of three columns, two outputs, and two leaves whose path is of these nodes.
func tree(signLevels uint8, counts [3]uint16, nodes ...int16) pipe.Fields {
	body := append(append(pipe.Fields{jobDecision}.U32(5), 2).U16(3), signLevels)
	for _, count := range counts {
		body = body.U16(count)
	}
	body = body.F64(0.5).F64(0).F64(0).F64(-0.25)
	for _, node := range nodes {
		body = append(body, 1).U16(uint16(node)).U16(7).U16(9)
	}
	return body
}

// table is a lookup in two entries half a turn apart, of which the first has the number -1, or a tally of as many tables.
func table(number uint8, tables int, entries uint16, values ...float64) pipe.Fields {
	body := pipe.Fields{number}.U32(5).U32(512).F64(0.5).U16(0xffff).U16(entries)
	if number == jobTally {
		body = append(body, uint8(tables))
	}
	for _, value := range values {
		body = body.F64(value)
	}
	return body
}

var halves = circuit.Grid{Multiplier: 512, Spacing: 0.5, First: -1, Entries: 2}

var good = [5]uint16{3, 2, 1, 2, 3}

func TestJobsAreReadAsTheyWereSent(t *testing.T) {
	for _, sent := range []struct {
		body   pipe.Fields
		wanted circuit.Job
	}{
		{count(0, 3, 8), circuit.Count{Edge: circuit.Edge{Threshold: 3, Range: 8}, Ciphertexts: 5}},
		{count(1, -3, 8), circuit.Count{Edge: circuit.Edge{Threshold: -3, Range: 8}, Below: true, Ciphertexts: 5}},
		{append(pipe.Fields{jobAlarm}, count(1, -3, 8)[1:]...),
			circuit.Alarm{Edge: circuit.Edge{Threshold: -3, Range: 8}, Below: true, Ciphertexts: 5}},
		{layers(2, good, 16), circuit.Network{LogStride: 2, Columns: 3, Ciphertexts: 5,
			Hidden:     []circuit.Unit{{Weights: []float64{0, 1, 2}, Bias: 3}, {Weights: []float64{4, 5, 6}, Bias: 7}},
			Activation: []float64{8, 9}, Outputs: []circuit.Unit{{Weights: []float64{10, 11}, Bias: 12}}, Link: []float64{13, 14, 15}}},
		{layers(0, [5]uint16{1, 0, 1, 0, 0}, 2), circuit.Network{Columns: 1, Ciphertexts: 5, Hidden: []circuit.Unit{},
			Activation: []float64{}, Outputs: []circuit.Unit{{Weights: []float64{0}, Bias: 1}}, Link: []float64{}}},
		{moments(3, 2, 9, 1, 1, 0, 2),
			circuit.Covariance{LogStride: 2, Columns: 3, Pairs: [][2]int{{1, 1}, {0, 2}}, Range: 9, Ciphertexts: 5}},
		{tree(10, [3]uint16{1, 2, 2}, 1, -1), circuit.Decision{LogStride: 2, Columns: 3, SignLevels: 10, Outputs: 2, Ciphertexts: 5,
			Nodes:  []circuit.Unit{{Weights: []float64{0.5, 0, 0}, Bias: -0.25}},
			Leaves: []circuit.Leaf{{Path: []int{1}, Values: []int{7, 9}}, {Path: []int{-1}, Values: []int{7, 9}}}}},
		{table(jobLookup, 0, 2, 0, 1), circuit.Lookup{Grid: halves, Values: []float64{0, 1}, Ciphertexts: 5}},
		{table(jobTally, 2, 2, 0, 1, 1, 0), circuit.Tally{Grid: halves, Tables: [][]float64{{0, 1}, {1, 0}}, Ciphertexts: 5}},
		{histogram(2, -3, 8, 4, 9), circuit.Histogram{Ciphertexts: 5,
			Edges: []circuit.Edge{{Threshold: -3, Range: 8}, {Threshold: 4, Range: 9}}}},
	} {
		if job, err := asked(sent.body); err != nil || !reflect.DeepEqual(job, sent.wanted) {
			t.Errorf("%v: %v, wanted %v", job, err, sent.wanted)
		}
	}
}

func TestBodiesOfNoJobAreRefused(t *testing.T) {
	for _, refused := range []struct {
		wanted string
		body   pipe.Fields
	}{
		{"job: 0; allowed are 1 to 8", nil},
		{"job: 9; allowed are 1 to 8", append(pipe.Fields{9}, count(0, 3, 8)[1:]...)},
		{"direction: 2; allowed are 0 and 1", count(2, 3, 8)},
		{"direction: 2; allowed are 0 and 1", append(pipe.Fields{jobAlarm}, count(2, 3, 8)[1:]...)},
		{"range: 0; allowed are", append(pipe.Fields{jobAlarm}, count(1, 3, 0)[1:]...)},
		{"job: length: 1 bytes behind", append(count(0, 3, 8), 0)},
		{"job: unexpected EOF", count(0, 3, 8)[:20]},
		{"job: number: NaN", count(0, math.NaN(), 8)},
		{"job: unexpected EOF", layers(2, good, 15)},
		{"job: length: 8 bytes behind", layers(2, good, 17)},
		{"log_stride: 11; allowed", layers(11, good, 16)},
		{"columns: 5; allowed are 1 to 4", layers(2, [5]uint16{5, 2, 1, 2, 3}, 20)},
		{"columns: 65535; allowed are 1 to 4", layers(2, [5]uint16{65535, 65535, 65535, 65535, 65535}, 20)},
		{"hidden: 257; allowed", layers(2, [5]uint16{3, 257, 1, 2, 3}, 20)},
		{"outputs: 65; allowed are 1 to 4", layers(2, [5]uint16{3, 2, 65, 2, 3}, 20)},
		{"outputs: 5; allowed are 1 to 4", layers(2, [5]uint16{3, 2, 5, 2, 3}, 28)},
		{"activation: 513; allowed", layers(2, [5]uint16{3, 2, 1, 513, 3}, 16+511)},
		{"job: unexpected EOF", histogram(3, -3, 8, 4, 9)},
		{"job: length: 16 bytes behind", histogram(1, -3, 8, 4, 9)},
		{"job: unexpected EOF", moments(3, 2, 9, 1, 1)},
		{"job: length: 4 bytes behind", moments(3, 1, 9, 1, 1, 0, 2)},
		{"pairs: 0; allowed are 1 to 64", moments(3, 0, 9)},
		{"column: 3; allowed are 0 to 2", moments(3, 1, 9, 1, 3)},
		{"range: 0; allowed are", moments(3, 1, 0, 1, 1)},
		{"job: unexpected EOF", tree(10, [3]uint16{1, 2, 2}, 1)},
		{"job: length: 7 bytes behind", tree(10, [3]uint16{1, 2, 1}, 1, -1)},
		{"sign_levels: 13; allowed are 8 to 12", tree(13, [3]uint16{1, 2, 2}, 1, -1)},
		{"nodes: 65535; allowed are 1 to 128", tree(10, [3]uint16{65535, 2, 2}, 1, -1)},
		{"leaves: 65535; allowed are 1 to 256", tree(10, [3]uint16{1, 2, 65535}, 1, -1)},
		{"node: 2; allowed are 1 to 1", tree(10, [3]uint16{1, 2, 2}, 1, -2)},
		{"job: unexpected EOF", table(jobLookup, 0, 2, 0)},
		{"job: length: 8 bytes behind", table(jobLookup, 0, 2, 0, 1, 1)},
		{"values: 2 at 1; allowed are 0 to 1", table(jobLookup, 0, 2, 0, 2)},
		{"entries: 3; allowed are 2 to 2", table(jobLookup, 0, 3, 0, 1, 1)},
		{"entries: 65535; allowed are 2 to 2", table(jobLookup, 0, 65535, 0, 1)},
		{"entries: 65535; allowed are 2 to 2", table(jobTally, 255, 65535, 0, 1)},
		{"job: unexpected EOF", table(jobTally, 2, 2, 0, 1)},
		{"tables: 0; allowed are 1 to 129", table(jobTally, 0, 2)},
		{"edges: 0; allowed are 1 to 32", histogram(0)},
		{"edges: 33; allowed are 1 to 32", histogram(33, make([]float64, 66)...)},
		{"edges: -3 behind 4", histogram(2, 4, 9, -3, 8)},
		{"range: 0; allowed are", histogram(1, 4, 0)},
	} {
		if _, err := asked(refused.body); err == nil || !strings.HasPrefix(err.Error(), refused.wanted) {
			t.Errorf("%s: %v", refused.wanted, err)
		}
	}
}

// TestTheLargestHistogramFitsAMessage: pipe.Read refuses longer ones.
func TestTheLargestHistogramFitsAMessage(t *testing.T) {
	var wire strings.Builder
	if err := pipe.Write(&wire, pipe.Job, histogram(circuit.MostEdges, make([]float64, 2*circuit.MostEdges)...)); err != nil {
		t.Error(err)
	}
}

// TestTheLargestTallyFitsAMessage likewise.
func TestTheLargestTallyFitsAMessage(t *testing.T) {
	var wire strings.Builder
	values := make([]float64, circuit.MostTables*circuit.MostPeriod)
	if err := pipe.Write(&wire, pipe.Job, table(jobTally, circuit.MostTables, circuit.MostPeriod, values...)); err != nil {
		t.Error(err)
	}
}

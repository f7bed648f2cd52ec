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

func TestJobsAreReadAsTheyWereSent(t *testing.T) {
	for _, sent := range []struct {
		body   pipe.Fields
		wanted circuit.Job
	}{
		{count(0, 3, 8), circuit.Count{Edge: circuit.Edge{Threshold: 3, Range: 8}, Ciphertexts: 5}},
		{count(1, -3, 8), circuit.Count{Edge: circuit.Edge{Threshold: -3, Range: 8}, Below: true, Ciphertexts: 5}},
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
		{"job: 0; allowed are 1 and 2", nil},
		{"job: 9; allowed are 1 and 2", append(pipe.Fields{9}, count(0, 3, 8)[1:]...)},
		{"direction: 2; allowed are 0 and 1", count(2, 3, 8)},
		{"job: length: 1 bytes behind", append(count(0, 3, 8), 0)},
		{"job: unexpected EOF", count(0, 3, 8)[:20]},
		{"job: number: NaN", count(0, math.NaN(), 8)},
		{"job: unexpected EOF", histogram(3, -3, 8, 4, 9)},
		{"job: length: 16 bytes behind", histogram(1, -3, 8, 4, 9)},
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

package main

import (
	"fmt"

	"isopod/deep/circuit"
	"isopod/deep/pipe"
)

// Numbers of jobs.
const (
	jobCount      = 1
	jobHistogram  = 2
	jobAlarm      = 3
	jobNetwork    = 4
	jobCovariance = 5
	jobDecision   = 6
	jobLookup     = 7
	jobTally      = 8
)

// asked reads the body of a job.
func asked(body []byte) (circuit.Job, error) {
	fields := pipe.From(body)
	number, ciphertexts := fields.U8(), int(fields.U32())
	var job circuit.Job
	switch number {
	case jobCount, jobAlarm:
		direction := fields.U8()
		if direction > 1 {
			return nil, fmt.Errorf("direction: %d; allowed are 0 and 1", direction)
		}
		edge, below := edge(fields), direction == 1
		if job = (circuit.Count{Edge: edge, Below: below, Ciphertexts: ciphertexts}); number == jobAlarm {
			job = circuit.Alarm{Edge: edge, Below: below, Ciphertexts: ciphertexts}
		}
	case jobHistogram:
		edges := make([]circuit.Edge, fields.U8())
		for at := range edges {
			edges[at] = edge(fields)
		}
		job = circuit.Histogram{Edges: edges, Ciphertexts: ciphertexts}
	case jobNetwork:
		job = network(fields, ciphertexts)
	case jobCovariance:
		job = covariance(fields, ciphertexts)
	case jobDecision:
		job = decision(fields, ciphertexts)
	case jobLookup:
		grid := grid(fields)
		job = circuit.Lookup{Grid: grid, Values: entries(fields, grid), Ciphertexts: ciphertexts}
	case jobTally:
		tally := circuit.Tally{Grid: grid(fields), Ciphertexts: ciphertexts}
		tally.Tables = make([][]float64, fields.U8())
		for at := range tally.Tables {
			tally.Tables[at] = entries(fields, tally.Grid)
		}
		job = tally
	default:
		return nil, fmt.Errorf("job: %d; allowed are %d to %d", number, jobCount, jobTally)
	}
	if err := fields.End(); err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return job, job.Check()
}

// network reads layers. Counts out of range end it early, so that Check refuses them.
func network(fields *pipe.Reader, ciphertexts int) circuit.Network {
	job := circuit.Network{LogStride: int(fields.U8()), Columns: int(fields.U16()), Ciphertexts: ciphertexts}
	hidden, outputs := int(fields.U16()), int(fields.U16())
	activation, link := int(fields.U16()), int(fields.U16())
	if job.Columns > 1<<circuit.MostLogStride || hidden > circuit.MostHidden || outputs > circuit.MostOutputs {
		job.Hidden, job.Outputs = make([]circuit.Unit, hidden), make([]circuit.Unit, outputs)
		fields.Rest()
		return job
	}
	job.Hidden = units(fields, hidden, job.Columns)
	job.Activation = numbers(fields, activation)
	inputs := hidden
	if hidden == 0 {
		inputs = job.Columns
	}
	job.Outputs, job.Link = units(fields, outputs, inputs), numbers(fields, link)
	return job
}

func covariance(fields *pipe.Reader, ciphertexts int) circuit.Covariance {
	job := circuit.Covariance{LogStride: int(fields.U8()), Columns: int(fields.U16()), Ciphertexts: ciphertexts}
	job.Pairs = make([][2]int, fields.U16())
	for at := range job.Pairs {
		job.Pairs[at] = [2]int{int(fields.U16()), int(fields.U16())}
	}
	job.Range = fields.F64()
	return job
}

// decision reads nodes and leaves. Counts out of range end it early, so that Check refuses them.
func decision(fields *pipe.Reader, ciphertexts int) circuit.Decision {
	job := circuit.Decision{LogStride: int(fields.U8()), Columns: int(fields.U16()), SignLevels: int(fields.U8()),
		Ciphertexts: ciphertexts}
	nodes, leaves := int(fields.U16()), 0
	job.Outputs, leaves = int(fields.U16()), int(fields.U16())
	if job.Columns > 1<<circuit.MostLogStride || nodes > circuit.MostNodes || job.Outputs > circuit.MostOutputs ||
		leaves > circuit.MostLeaves {
		job.Nodes, job.Leaves = make([]circuit.Unit, nodes), make([]circuit.Leaf, leaves)
		fields.Rest()
		return job
	}
	job.Nodes, job.Leaves = units(fields, nodes, job.Columns), make([]circuit.Leaf, leaves)
	for at := range job.Leaves {
		leaf := circuit.Leaf{Path: make([]int, fields.U8()), Values: make([]int, job.Outputs)}
		for number := range leaf.Path {
			leaf.Path[number] = int(int16(fields.U16()))
		}
		for output := range leaf.Values {
			leaf.Values[output] = int(fields.U16())
		}
		job.Leaves[at] = leaf
	}
	return job
}

func grid(fields *pipe.Reader) circuit.Grid {
	return circuit.Grid{Multiplier: uint64(fields.U32()), Spacing: fields.F64(), First: int(int16(fields.U16())),
		Entries: int(fields.U16())}
}

// entries reads the values of a table; of more than there can be none, so that Check refuses them.
func entries(fields *pipe.Reader, grid circuit.Grid) []float64 {
	if grid.Entries > circuit.MostPeriod {
		fields.Rest()
		return nil
	}
	return numbers(fields, grid.Entries)
}

func units(fields *pipe.Reader, count, inputs int) []circuit.Unit {
	read := make([]circuit.Unit, count)
	for at := range read {
		read[at] = circuit.Unit{Weights: numbers(fields, inputs), Bias: fields.F64()}
	}
	return read
}

func numbers(fields *pipe.Reader, count int) []float64 {
	read := make([]float64, count)
	for at := range read {
		read[at] = fields.F64()
	}
	return read
}

func edge(fields *pipe.Reader) circuit.Edge {
	return circuit.Edge{Threshold: fields.F64(), Range: fields.F64()}
}

// job reads one job and its ciphertexts, computes and answers.
func (b *backend) job(body []byte) error {
	job, err := asked(body)
	if err != nil {
		return pipe.With(pipe.CodeJob, err)
	}
	ciphertexts, stages := job.Size()
	b.begun, b.stages = 0, stages
	if err := b.prepare(); err != nil {
		return pipe.With(pipe.CodeKeys, err)
	}
	work := job.Start(b.circuit)
	for range ciphertexts {
		if err := b.add(work); err != nil {
			return err
		}
	}
	answers, err := work.Answers()
	if err != nil {
		return pipe.With(pipe.CodeJob, err)
	}
	if err := b.send(answers); err != nil {
		return err
	}
	return pipe.Write(b.to, pipe.Done, nil)
}

// add reads one ciphertext, adds it to a job, and answers if the job does so at once.
func (b *backend) add(work circuit.Work) error {
	_, valid, err := pipe.Read(b.from, pipe.Valid)
	if err != nil {
		return pipe.With(pipe.CodeMessage, err)
	}
	c0, c1, err := b.ciphertext()
	if err != nil {
		return pipe.With(pipe.CodeMessage, err)
	}
	answers, err := work.Add(valid, c0, c1)
	if err != nil {
		return pipe.With(pipe.CodeJob, err)
	}
	return b.send(answers)
}

func (b *backend) send(answers []*circuit.Answer) error {
	for _, answer := range answers {
		if err := b.answer(answer); err != nil {
			return err
		}
	}
	return nil
}

func (b *backend) answer(answer *circuit.Answer) error {
	if err := pipe.Write(b.to, pipe.Answer, pipe.Fields{}.F64(answer.Scale)); err != nil {
		return err
	}
	if err := pipe.WritePolynomial(b.to, answer.C0); err != nil {
		return err
	}
	return pipe.WritePolynomial(b.to, answer.C1)
}

package main

import (
	"fmt"

	"isopod/deep/circuit"
	"isopod/deep/pipe"
)

// Numbers of jobs.
const (
	jobCount     = 1
	jobHistogram = 2
)

// asked reads the body of a job.
func asked(body []byte) (circuit.Job, error) {
	fields := pipe.From(body)
	number, ciphertexts := fields.U8(), int(fields.U32())
	var job circuit.Job
	switch number {
	case jobCount:
		direction := fields.U8()
		if direction > 1 {
			return nil, fmt.Errorf("direction: %d; allowed are 0 and 1", direction)
		}
		job = circuit.Count{Edge: edge(fields), Below: direction == 1, Ciphertexts: ciphertexts}
	case jobHistogram:
		edges := make([]circuit.Edge, fields.U8())
		for at := range edges {
			edges[at] = edge(fields)
		}
		job = circuit.Histogram{Edges: edges, Ciphertexts: ciphertexts}
	default:
		return nil, fmt.Errorf("job: %d; allowed are %d and %d", number, jobCount, jobHistogram)
	}
	if err := fields.End(); err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return job, job.Check()
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
	ciphertexts, reports := job.Size()
	b.begun, b.stages = 0, ciphertexts*reports+1
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
	for _, answer := range answers {
		if err := b.answer(answer); err != nil {
			return err
		}
	}
	return pipe.Write(b.to, pipe.Done, nil)
}

// add reads one ciphertext and adds it to a job.
func (b *backend) add(work circuit.Work) error {
	_, valid, err := pipe.Read(b.from, pipe.Valid)
	if err != nil {
		return pipe.With(pipe.CodeMessage, err)
	}
	c0, c1, err := b.ciphertext()
	if err != nil {
		return pipe.With(pipe.CodeMessage, err)
	}
	return pipe.With(pipe.CodeJob, work.Add(valid, c0, c1))
}

func (b *backend) answer(answer *circuit.Answer) error {
	if err := pipe.Write(b.to, pipe.Answer, pipe.Fields{}.F64(answer.Scale)); err != nil {
		return err
	}
	if err := pipe.WritePolynomial(b.to, []uint64{answer.C0}); err != nil {
		return err
	}
	return pipe.WritePolynomial(b.to, answer.C1)
}

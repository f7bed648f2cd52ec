// isopod-deep computes on merged frames with evaluation keys, for a host at the other end of its standard input and output. It
// has no secret key, and no code that makes keys.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"isopod/deep/circuit"
	"isopod/deep/keyset"
	"isopod/deep/pipe"
	"isopod/deep/size"
)

func main() {
	keys := flag.String("keys", "", "folder of the keys, made by `isopod server-keys --size`")
	memory := flag.Int64("memory", 0, "most bytes of memory; 0 is what the size needs")
	threads := flag.Int("threads", 1, "most processor cores")
	flag.Parse()
	runtime.GOMAXPROCS(max(1, *threads))
	b := &backend{folder: *keys, memory: *memory, from: bufio.NewReader(os.Stdin), to: os.Stdout}
	if err := b.serve(); err != nil {
		fmt.Fprintln(os.Stderr, "isopod-deep:", err)
		if pipe.WriteFailure(b.to, err) != nil {
			os.Exit(1)
		}
		os.Exit(1)
	}
}

type backend struct {
	folder  string
	memory  int64
	from    io.Reader
	to      io.Writer
	ring    *size.Ring
	id      keyset.Identity
	circuit *circuit.Circuit
	// Stages of earlier ciphertexts of the job, and all of them.
	done, stages int
}

// serve answers one job after the other until the host closes the pipe.
func (b *backend) serve() (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = pipe.With(pipe.CodeInternal, fmt.Errorf("%v", panicked))
		}
	}()
	if err := b.greet(); err != nil {
		return err
	}
	go watch(b.memory)
	for {
		_, body, err := pipe.Read(b.from, pipe.Job)
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return pipe.With(pipe.CodeMessage, err)
		}
		if err := b.job(body); err != nil {
			return err
		}
	}
}

// greet checks version and size, reads what keys there are, and introduces this program.
func (b *backend) greet() error {
	wanted, err := pipe.ReadHello(b.from)
	if err != nil {
		return err
	}
	chosen, err := size.ByName(wanted)
	if err != nil {
		return pipe.With(pipe.CodeVersion, err)
	}
	if b.ring, err = chosen.Ring(); err != nil {
		return err
	}
	name, label, id, err := keyset.ReadSet(b.folder)
	if err != nil {
		return pipe.With(pipe.CodeKeys, err)
	}
	if name != wanted || id.Parameters != b.ring.Digest() {
		return pipe.With(pipe.CodeKeys, fmt.Errorf("keys: of %s, parameters %x; allowed are those of %s, parameters %x", name,
			id.Parameters[:8], wanted, b.ring.Digest()))
	}
	b.id = id
	if err := b.limit(chosen); err != nil {
		return pipe.With(pipe.CodeMemory, err)
	}
	hello := pipe.Fields(pipe.Magic).U16(pipe.Version).Text(size.Lattigo).Text(label)
	hello = append(append(hello, id.Parameters[:]...), id.Set[:]...)
	return pipe.Write(b.to, pipe.Hello, hello.U64(b.ring.Modulus()).U32(uint32(b.ring.Parameters.N())))
}

// limit checks that the memory of this program and of the machine is what the size needs.
func (b *backend) limit(chosen size.Size) error {
	if b.memory == 0 {
		b.memory = chosen.Memory
	}
	if b.memory < chosen.Memory {
		return fmt.Errorf("memory: %d bytes; allowed are %d or more for %s", b.memory, chosen.Memory, chosen.Name)
	}
	if available, known := availableBytes(); known && available < chosen.Memory {
		return fmt.Errorf("memory: %d bytes are available on this machine; %s needs %d", available, chosen.Name, chosen.Memory)
	}
	debug.SetMemoryLimit(b.memory / 10 * 9) // The collector works harder before watch ends the program.
	return nil
}

const jobCount = 1

// job reads one job and its ciphertexts, computes and answers.
func (b *backend) job(body []byte) error {
	fields := pipe.From(body)
	kind, below := fields.U8(), fields.U8()
	count := circuit.Count{Threshold: fields.F64(), Range: fields.F64(), Below: below == 1, Ciphertexts: int(fields.U32())}
	if err := fields.End(); err != nil || kind != jobCount || below > 1 {
		return pipe.With(pipe.CodeJob, fmt.Errorf("job: %d, direction %d, %v; allowed are job %d, direction 0 or 1", kind, below, err,
			jobCount))
	}
	b.done, b.stages = 0, circuit.Stages*count.Ciphertexts
	if err := b.prepare(); err != nil {
		return pipe.With(pipe.CodeKeys, err)
	}
	counting, err := count.Start(b.circuit)
	if err != nil {
		return pipe.With(pipe.CodeJob, err)
	}
	for range count.Ciphertexts {
		if err := b.add(counting); err != nil {
			return err
		}
		b.done += circuit.Stages
	}
	b.done -= circuit.Stages
	answer, err := counting.Answer()
	if err != nil {
		return pipe.With(pipe.CodeJob, err)
	}
	return b.answer(answer)
}

// add reads one ciphertext and adds it to a count.
func (b *backend) add(counting *circuit.Counting) error {
	_, valid, err := pipe.Read(b.from, pipe.Valid)
	if err != nil {
		return pipe.With(pipe.CodeMessage, err)
	}
	c0, c1, err := b.ciphertext()
	if err != nil {
		return pipe.With(pipe.CodeMessage, err)
	}
	return pipe.With(pipe.CodeJob, counting.Add(valid, c0, c1))
}

func (b *backend) ciphertext() (c0, c1 []uint64, err error) {
	degree, modulus := b.ring.Parameters.N(), b.ring.Modulus()
	c0, c1 = make([]uint64, degree), make([]uint64, degree)
	if err := pipe.ReadPolynomial(b.from, modulus, c0); err != nil {
		return nil, nil, err
	}
	return c0, c1, pipe.ReadPolynomial(b.from, modulus, c1)
}

// prepare reads keys before the first job.
func (b *backend) prepare() (err error) {
	if b.circuit != nil {
		return nil
	}
	stage := func(stage int) error { return pipe.WriteProgress(b.to, stage, b.done+stage, b.stages) }
	if err := stage(circuit.StageKeys); err != nil {
		return err
	}
	if b.circuit, err = circuit.New(b.ring, b.folder, b.id, b.memory-b.ring.Memory); err == nil {
		b.circuit.Stage = stage
	}
	return err
}

func (b *backend) answer(answer *circuit.Answer) error {
	if err := pipe.Write(b.to, pipe.Answer, pipe.Fields{}.F64(answer.Scale)); err != nil {
		return err
	}
	if err := pipe.WritePolynomial(b.to, []uint64{answer.C0}); err != nil {
		return err
	}
	if err := pipe.WritePolynomial(b.to, answer.C1); err != nil {
		return err
	}
	return pipe.Write(b.to, pipe.Done, nil)
}

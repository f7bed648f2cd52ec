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
	// Stages of the job that have begun, and all of them.
	begun, stages int
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
	stage := func(stage int) error {
		b.begun++
		return pipe.WriteProgress(b.to, stage, b.begun-1, b.stages)
	}
	b.stages++
	if err := stage(circuit.StageKeys); err != nil {
		return err
	}
	if b.circuit, err = circuit.New(b.ring, b.folder, b.id, b.memory-b.ring.Memory); err == nil {
		b.circuit.Stage = stage
	}
	return err
}

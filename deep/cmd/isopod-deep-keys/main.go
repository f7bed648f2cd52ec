// isopod-deep-keys makes the keys of a size on the owner's machine, from a secret key that it reads from its standard input.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"isopod/deep/generate"
	"isopod/deep/keyset"
	"isopod/deep/pipe"
	"isopod/deep/size"
)

func main() {
	folder := flag.String("out", "", "folder that the keys are written to")
	flag.Parse()
	if err := run(*folder); err != nil {
		fmt.Fprintln(os.Stderr, "isopod-deep-keys:", err)
		if pipe.WriteFailure(os.Stdout, err) != nil {
			os.Exit(1)
		}
		os.Exit(1)
	}
}

func run(folder string) error {
	from := bufio.NewReader(os.Stdin)
	name, err := pipe.ReadHello(from)
	if err != nil {
		return err
	}
	chosen, err := size.ByName(name)
	if err != nil {
		return pipe.With(pipe.CodeVersion, err)
	}
	ring, err := chosen.Ring()
	if err != nil {
		return err
	}
	owner, err := readOwner(from, ring)
	if err != nil {
		return pipe.With(pipe.CodeMessage, err)
	}
	progress := func(done, total int) error { return pipe.WriteProgress(os.Stdout, 0, done, total) }
	if err := owner.Run(folder, progress); err != nil {
		return pipe.With(pipe.CodeKeys, err)
	}
	_, label, id, err := keyset.ReadSet(folder)
	if err != nil {
		return err
	}
	body := pipe.Fields{}.Text(label)
	return pipe.Write(os.Stdout, pipe.Keys, append(append(body, id.Parameters[:]...), id.Set[:]...))
}

// readOwner reads the seed and the coefficients, -1 to 1, of the frames' secret key.
func readOwner(from *bufio.Reader, ring *size.Ring) (*generate.Owner, error) {
	_, body, err := pipe.Read(from, pipe.Secret)
	if err != nil {
		return nil, err
	}
	defer clear(body)
	fields := pipe.From(body)
	seed := fields.Bytes(generate.SeedBytes)
	secret := make([]int8, size.FrameDegree)
	for i := range secret {
		secret[i] = int8(fields.U8())
	}
	if err := fields.End(); err != nil {
		return nil, err
	}
	return generate.NewOwner(ring, secret, seed)
}

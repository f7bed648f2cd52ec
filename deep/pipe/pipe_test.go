package pipe

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
)

func TestMessagesArriveWhole(t *testing.T) {
	var wire bytes.Buffer
	polynomial := make([]uint64, RunLength+3)
	for i := range polynomial {
		polynomial[i] = uint64(i * i)
	}
	if err := WritePolynomial(&wire, polynomial); err != nil {
		t.Fatal(err)
	}
	read := make([]uint64, len(polynomial))
	if err := ReadPolynomial(&wire, 1<<40, read); err != nil {
		t.Fatal(err)
	}
	for i := range read {
		if read[i] != polynomial[i] {
			t.Fatalf("%d: %d", i, read[i])
		}
	}
}

// message is one with any head.
func message(kind uint8, length uint32, body ...byte) *bytes.Buffer {
	return bytes.NewBuffer(append(Fields{kind}.U32(length), body...))
}

func TestHostileMessagesAreRefusedBeforeMemoryIsTaken(t *testing.T) {
	for wanted, input := range map[string]io.Reader{
		"kind: 9":       message(9, 0),
		"length: 42949": message(Hello, math.MaxUint32),
		"unexpected":    message(Hello, 100, 1, 2, 3),
		"EOF":           bytes.NewReader(nil),
	} {
		if _, _, err := Read(input, Hello, Job); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

func TestResiduesOutOfRangeOrOrderAreRefused(t *testing.T) {
	run := func(first, count uint32, values ...uint64) *bytes.Buffer {
		body := Fields{}.U32(first).U32(count)
		for _, value := range values {
			body = body.U64(value)
		}
		var wire bytes.Buffer
		if err := Write(&wire, Residues, body); err != nil {
			t.Fatal(err)
		}
		return &wire
	}
	for wanted, input := range map[string]io.Reader{
		"residue: 97 at 1": run(0, 2, 96, 97),
		"run: 2 from 1":    run(1, 2, 1, 2),
		"run: 0 from 0":    run(0, 0),
		"run: 5 from 0":    run(0, 5, 1, 2, 3, 4, 5),
		"8 bytes behind":   run(0, 2, 1, 2, 3),
		"unexpected EOF":   run(0, 2, 1),
	} {
		if err := ReadPolynomial(input, 97, make([]uint64, 4)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

func TestNumbersAreFinite(t *testing.T) {
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if fields := From(Fields{}.F64(value)); fields.F64() == 0 || fields.End() == nil {
			t.Errorf("%v was accepted", value)
		}
	}
}

func TestOtherVersionsAreNamed(t *testing.T) {
	greeting := func(magic string, version uint16) io.Reader {
		var wire bytes.Buffer
		if err := Write(&wire, Hello, Fields(magic).U16(version).Text("deep-16")); err != nil {
			t.Fatal(err)
		}
		return &wire
	}
	if name, err := ReadHello(greeting(Magic, Version)); name != "deep-16" || err != nil {
		t.Error(name, err)
	}
	for wanted, input := range map[string]io.Reader{
		"version: 7; allowed is 6": greeting(Magic, 7),
		"not of this protocol":     greeting("httphttp", Version),
	} {
		if _, err := ReadHello(input); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

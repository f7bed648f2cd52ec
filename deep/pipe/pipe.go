// Package pipe holds the messages between a host and a program of this folder: framed, bounded, versioned (deep/README.md).
package pipe

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Version changes with every change of a message.
const Version = 6

// Magic opens the first message of either side.
const Magic = "isopdeep"

// Kinds of messages.
const (
	Hello    = 1 // both ways, first
	Job      = 2 // to the backend: what to compute
	Residues = 3 // both ways: a run of coefficients
	Progress = 4 // from the program
	Answer   = 5 // from the backend: the scale, before the residues of an answer
	Failure  = 6 // from the program: a code and a text
	Secret   = 7 // to the key generation alone
	Valid    = 8 // to the backend: a bit for each coefficient that holds a reading
	Keys     = 9 // from the key generation: label and digest
	Done     = 10
)

// most is the largest body of each kind in bytes.
var most = map[uint8]uint32{Hello: 256, Job: 1 << 21, Residues: 8 + 8*RunLength, Progress: 64, Answer: 64, Failure: 2048,
	Secret: 64 + 1<<15, Valid: 1 << 13, Keys: 512, Done: 0}

// RunLength is the largest number of coefficients in one message.
const RunLength = 8192

const head = 5

// Read reads one message of one of the kinds; a longer one, or one of another kind, ends the conversation.
func Read(from io.Reader, kinds ...uint8) (uint8, []byte, error) {
	var start [head]byte
	if _, err := io.ReadFull(from, start[:]); err != nil {
		return 0, nil, err
	}
	kind, length := start[0], binary.LittleEndian.Uint32(start[1:])
	if !contains(kinds, kind) {
		return 0, nil, fmt.Errorf("kind: %d; allowed are %v", kind, kinds)
	}
	if length > most[kind] {
		return 0, nil, fmt.Errorf("length: %d bytes of kind %d; allowed are 0 to %d", length, kind, most[kind])
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(from, body); err != nil {
		return 0, nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return kind, body, nil
}

func contains(kinds []uint8, kind uint8) bool {
	for _, allowed := range kinds {
		if allowed == kind {
			return true
		}
	}
	return false
}

// Write writes one message in one call.
func Write(to io.Writer, kind uint8, body []byte) error {
	if uint64(len(body)) > uint64(most[kind]) {
		return fmt.Errorf("length: %d bytes of kind %d; allowed are 0 to %d", len(body), kind, most[kind])
	}
	message := make([]byte, head, head+len(body))
	message[0] = kind
	binary.LittleEndian.PutUint32(message[1:], uint32(len(body)))
	_, err := to.Write(append(message, body...))
	return err
}

// Fields writes fields of a body one after the other.
type Fields []byte

// U16 appends a number.
func (f Fields) U16(value uint16) Fields { return binary.LittleEndian.AppendUint16(f, value) }

// U32 appends a number.
func (f Fields) U32(value uint32) Fields { return binary.LittleEndian.AppendUint32(f, value) }

// U64 appends a number.
func (f Fields) U64(value uint64) Fields { return binary.LittleEndian.AppendUint64(f, value) }

// F64 appends a number.
func (f Fields) F64(value float64) Fields { return f.U64(math.Float64bits(value)) }

// Text appends a text of at most 255 bytes, and its length.
func (f Fields) Text(text string) Fields {
	if len(text) > math.MaxUint8 {
		text = text[:math.MaxUint8]
	}
	return append(append(f, uint8(len(text))), text...)
}

// Reader reads fields of a body; Err is the first error of all.
type Reader struct {
	rest []byte
	Err  error
}

// From reads a body.
func From(body []byte) *Reader { return &Reader{rest: body} }

// Bytes reads a number of bytes.
func (r *Reader) Bytes(count int) []byte {
	if r.Err != nil || len(r.rest) < count {
		if r.Err == nil {
			r.Err = io.ErrUnexpectedEOF
		}
		return make([]byte, count)
	}
	var read []byte
	read, r.rest = r.rest[:count], r.rest[count:]
	return read
}

// Rest reads all that is left.
func (r *Reader) Rest() []byte { return r.Bytes(len(r.rest)) }

// U8 reads a number.
func (r *Reader) U8() uint8 { return r.Bytes(1)[0] }

// U16 reads a number.
func (r *Reader) U16() uint16 { return binary.LittleEndian.Uint16(r.Bytes(2)) }

// U32 reads a number.
func (r *Reader) U32() uint32 { return binary.LittleEndian.Uint32(r.Bytes(4)) }

// U64 reads a number.
func (r *Reader) U64() uint64 { return binary.LittleEndian.Uint64(r.Bytes(8)) }

// F64 reads a number, which must be finite.
func (r *Reader) F64() float64 {
	value := math.Float64frombits(r.U64())
	if (math.IsNaN(value) || math.IsInf(value, 0)) && r.Err == nil {
		r.Err = fmt.Errorf("number: %v; allowed are finite ones", value)
	}
	return value
}

// Text reads a text.
func (r *Reader) Text() string { return string(r.Bytes(int(r.U8()))) }

// End refuses bytes behind the last field.
func (r *Reader) End() error {
	if r.Err == nil && len(r.rest) > 0 {
		r.Err = fmt.Errorf("length: %d bytes behind the last field; allowed are 0", len(r.rest))
	}
	return r.Err
}

// WritePolynomial sends coefficients in runs.
func WritePolynomial(to io.Writer, polynomial []uint64) error {
	for first := 0; first < len(polynomial); first += RunLength {
		run := polynomial[first:min(first+RunLength, len(polynomial))]
		body := make(Fields, 0, 8+8*len(run)).U32(uint32(first)).U32(uint32(len(run)))
		for _, coefficient := range run {
			body = body.U64(coefficient)
		}
		if err := Write(to, Residues, body); err != nil {
			return err
		}
	}
	return nil
}

// ReadPolynomial reads coefficients in runs, each below the modulus.
func ReadPolynomial(from io.Reader, modulus uint64, polynomial []uint64) error {
	for first := 0; first < len(polynomial); {
		_, body, err := Read(from, Residues)
		if err != nil {
			return err
		}
		fields := From(body)
		place, count := int(fields.U32()), int(fields.U32())
		if place != first || count < 1 || count > min(RunLength, len(polynomial)-first) {
			return fmt.Errorf("run: %d from %d; allowed are 1 to %d from %d", count, place, min(RunLength, len(polynomial)-first), first)
		}
		for i := first; i < first+count; i++ {
			if polynomial[i] = fields.U64(); polynomial[i] >= modulus {
				return fmt.Errorf("residue: %d at %d; allowed are 0 to %d", polynomial[i], i, modulus-1)
			}
		}
		if err := fields.End(); err != nil {
			return err
		}
		first += count
	}
	return nil
}

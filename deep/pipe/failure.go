package pipe

import (
	"errors"
	"fmt"
	"io"
)

// Codes of a failure.
const (
	CodeVersion  = 1 // the other side speaks another version
	CodeKeys     = 2 // keys are missing, damaged, or of another size
	CodeMemory   = 3 // too little memory; also the exit status of a program that outgrew its limit
	CodeJob      = 4 // a field of a job
	CodeMessage  = 5 // a message that is not of this protocol
	CodeInternal = 6
)

// Coded is an error with a code.
type Coded struct {
	Code uint8
	Err  error
}

func (c Coded) Error() string { return c.Err.Error() }

// Unwrap gives the error.
func (c Coded) Unwrap() error { return c.Err }

// With gives an error a code, unless it has one.
func With(code uint8, err error) error {
	var coded Coded
	if err == nil || errors.As(err, &coded) {
		return err
	}
	return Coded{code, err}
}

// WriteFailure tells the host why the program ends.
func WriteFailure(to io.Writer, err error) error {
	code := uint8(CodeInternal)
	var coded Coded
	if errors.As(err, &coded) {
		code = coded.Code
	}
	text := err.Error()
	return Write(to, Failure, append([]byte{code}, text[:min(len(text), 1000)]...))
}

// WriteProgress tells how far the program is.
func WriteProgress(to io.Writer, stage, done, total int) error {
	return Write(to, Progress, Fields{uint8(stage)}.U32(uint32(done)).U32(uint32(total)))
}

// ReadHello reads the host's greeting: the size that it expects.
func ReadHello(from io.Reader) (string, error) {
	_, body, err := Read(from, Hello)
	if err != nil {
		return "", With(CodeMessage, err)
	}
	fields := From(body)
	magic, version := string(fields.Bytes(len(Magic))), fields.U16()
	if fields.Err != nil || magic != Magic {
		return "", With(CodeMessage, errors.New("hello: not of this protocol"))
	}
	if version != Version {
		return "", With(CodeVersion, fmt.Errorf("version: %d; allowed is %d", version, Version))
	}
	name := fields.Text()
	return name, With(CodeMessage, fields.End())
}

package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// header is the length of the header of every SEAL object.
const header = 16

// set is SEAL's EncryptionParameters: the last modulus is the special prime.
type set struct {
	ringDegree   int
	chain        []uint64
	plainModulus uint64 // 0 in CKKS
}

// polynomials are residues of one object, polynomial after polynomial, prime after prime, in NTT order.
type polynomials struct {
	ringDegree, primes int
	scale              float64
	words              []uint64
}

// reader walks through an uncompressed image; reading past its end panics, which ends the check.
type reader struct{ bytes []byte }

func open(folder, name string) (*reader, error) {
	bytes, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	if len(bytes) < header || bytes[0] != 0x5e || bytes[1] != 0xa1 || bytes[5] != 0 {
		return nil, fmt.Errorf("%s: not an uncompressed SEAL object", name)
	}
	return &reader{bytes[header:]}, nil
}

func (r *reader) skip(count int) { r.bytes = r.bytes[count:] }

func (r *reader) word() uint64 {
	word := binary.LittleEndian.Uint64(r.bytes)
	r.skip(8)
	return word
}

func (r *reader) array() []uint64 {
	r.skip(header)
	words := make([]uint64, r.word())
	for i := range words {
		words[i] = r.word()
	}
	return words
}

func readSet(folder string) (set, error) {
	r, err := open(folder, "parameters.seal")
	if err != nil {
		return set{}, err
	}
	r.skip(1)
	s := set{ringDegree: int(r.word())}
	s.chain = make([]uint64, r.word())
	for i := range s.chain {
		r.skip(header)
		s.chain[i] = r.word()
	}
	r.skip(header)
	s.plainModulus = r.word()
	return s, nil
}

func readCiphertext(folder, name string) (polynomials, error) {
	r, err := open(folder, name)
	if err != nil {
		return polynomials{}, err
	}
	r.skip(32 + 1 + 8)
	p := polynomials{ringDegree: int(r.word()), primes: int(r.word())}
	p.scale = math.Float64frombits(r.word())
	p.words = r.array()
	return p, nil
}

func readSecretKey(folder string, s set) (polynomials, error) {
	r, err := open(folder, "secret-key.seal")
	if err != nil {
		return polynomials{}, err
	}
	r.skip(32 + 8 + 8)
	return polynomials{ringDegree: s.ringDegree, primes: len(s.chain), words: r.array()}, nil
}

// residues of polynomial number i modulo prime number j.
func (p polynomials) residues(i, j int) []uint64 {
	at := (i*p.primes + j) * p.ringDegree
	return p.words[at : at+p.ringDegree]
}

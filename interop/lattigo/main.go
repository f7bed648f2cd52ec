// Reads the output of `isopod export`, decrypts it with Lattigo and prints the slots of every ciphertext as JSON. With the one
// argument `owners`, answers a question of several owners on standard input.
package main

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"os"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "owners" {
		if err := answerOfOwners(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: lattigo KEY-FOLDER CIPHERTEXT-FOLDER FILE... | lattigo owners")
		os.Exit(2)
	}
	answers := make([]any, 0, len(os.Args)-3)
	reader, err := newReader(os.Args[1])
	for _, name := range os.Args[3:] {
		var slots any
		if err == nil {
			slots, err = reader.slots(os.Args[2], name)
		}
		answers = append(answers, slots)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answers)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// slotReader decrypts the ciphertexts of one key.
type slotReader interface {
	slots(folder, name string) (any, error)
}

func newReader(folder string) (slotReader, error) {
	s, err := readSet(folder)
	if err != nil {
		return nil, err
	}
	if s.plainModulus != 0 {
		return newIntegers(folder, s)
	}
	return newDecryption(folder, s)
}

// decryption holds a set and its key as Lattigo has them.
type decryption struct {
	set    set
	params ckks.Parameters
	key    *rlwe.SecretKey
}

func newDecryption(folder string, s set) (*decryption, error) {
	params, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: bits.Len(uint(s.ringDegree)) - 1, Q: s.chain, P: nil, LogDefaultScale: 30})
	if err != nil {
		return nil, err
	}
	key, err := loadSecretKey(folder, s, params)
	return &decryption{s, params, key}, err
}

func loadSecretKey(folder string, s set, params rlwe.ParameterProvider) (*rlwe.SecretKey, error) {
	words, err := readSecretKey(folder, s)
	if err != nil {
		return nil, err
	}
	key := rlwe.NewSecretKey(params)
	ringQ := params.GetRLWEParameters().RingQ()
	transform(ringQ, s, words, 0, key.Value.Q)
	ringQ.MForm(key.Value.Q, key.Value.Q)
	return key, nil
}

// transform takes a polynomial from SEAL's order of values to Lattigo's, by way of its coefficients.
func transform(ringQ *ring.Ring, s set, from polynomials, number int, into ring.Poly) {
	for j := range into.Coeffs {
		copy(into.Coeffs[j], coefficients(from.residues(number, j), s.chain[j]))
	}
	ringQ.NTT(into, into)
}

func (d *decryption) slots(folder, name string) (any, error) {
	words, err := readCiphertext(folder, name)
	if err != nil {
		return nil, err
	}
	level := words.primes - 1
	ciphertext := ckks.NewCiphertext(d.params, 1, level)
	ciphertext.Scale = rlwe.NewScale(words.scale)
	for i := range ciphertext.Value {
		transform(d.params.RingQ().AtLevel(level), d.set, words, i, ciphertext.Value[i])
	}
	plaintext := rlwe.NewDecryptor(d.params, d.key).DecryptNew(ciphertext)
	values := make([]complex128, d.params.MaxSlots())
	if err := ckks.NewEncoder(d.params).Decode(plaintext, values); err != nil {
		return nil, err
	}
	return inOrderOfSeal(values), nil
}

// inOrderOfSeal: SEAL's slot j is the value at the root's power 3^j, Lattigo's at 5^j; powers e and -e are conjugates.
func inOrderOfSeal(values []complex128) []float64 {
	order := 4 * len(values)
	place := make(map[int]int, len(values))
	for j, e := 0, 1; j < len(values); j, e = j+1, e*5%order {
		place[e], place[order-e] = j, j
	}
	slots := make([]float64, len(values))
	for j, e := 0, 1; j < len(values); j, e = j+1, e*3%order {
		slots[j] = real(values[place[e]])
	}
	return slots
}

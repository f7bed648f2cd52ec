// Package size holds the parameter sizes of the large ring: every number that keys, backend and host must agree in.
package size

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"sort"
	"strings"

	"github.com/tuneinsight/lattigo/v6/circuits/ckks/dft"
	"github.com/tuneinsight/lattigo/v6/circuits/ckks/mod1"
	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

// Lattigo is the version that go.mod pins. Its generator of primes and its formats belong to the sizes.
const Lattigo = "6.1.1"

const (
	// FrameDegree and FrameModulus are those of ckks-2048x1-air, the set of the frames and of the answers.
	FrameDegree  = 2048
	FrameModulus = 1073692673
	// LogMessageRatio: coefficients of frames stay below 2^-10 of the modulus (spec/merge.md, section 4).
	LogMessageRatio = 8
	// EphemeralWeight is the Hamming weight of the secret that holds for one modulus alone, during the raise of the modulus.
	EphemeralWeight = 32
	// AnswerDigit is the width of a digit when an answer goes to the key of the frames.
	AnswerDigit = 10
)

// AnswerModulus and AnswerSpecial are 1 modulo 2^17. Their product has 53 bits, the most that label 128 allows at degree 2048.
const (
	AnswerModulus = 1073479681
	AnswerSpecial = 7340033
)

// Size describes one large ring.
type Size struct {
	Name     string
	Insecure bool
	LogN     int
	// LogScale is that of the levels, LogScaleSine that of the reduction modulo q0.
	LogScale, LogScaleSine int
	// Levels are those of jobs, between q0 and the reduction.
	Levels int
	// TablesAlone: primes of the reduction are so small that a sine would leave no precision, while points of a circle fill it.
	TablesAlone bool `json:",omitempty"`
	// LogQ0, LogSlots and LogP are the bits of q0, of the primes of CoeffsToSlots, and of the special primes.
	LogQ0    int
	LogSlots []int
	LogP     []int
	// Memory is what a job takes at its peak without any rotation key that stays, in bytes, by `make bench-deep`.
	Memory int64
}

var sizes = map[string]Size{
	"deep-16": {Name: "deep-16", LogN: 16, LogScale: 40, LogScaleSine: 60, Levels: 13, LogQ0: 60,
		LogSlots: []int{56, 56, 56, 56}, LogP: []int{61, 61, 61, 61, 61, 61, 61}, Memory: 6 << 30},
	"deep-15": {Name: "deep-15", LogN: 15, LogScale: 32, LogScaleSine: 36, Levels: 6, TablesAlone: true, LogQ0: 57,
		LogSlots: []int{35, 35, 35, 35}, LogP: []int{38, 38, 38, 38, 38}, Memory: 5 << 29},
}

// ByName finds a size.
func ByName(name string) (Size, error) {
	if found, ok := sizes[name]; ok {
		return found, nil
	}
	names := make([]string, 0, len(sizes))
	for known := range sizes {
		names = append(names, known)
	}
	sort.Strings(names)
	return Size{}, fmt.Errorf("size: %q; allowed are %s", name, strings.Join(names, ", "))
}

// sine is the reduction modulo q0, by Lattigo's default approximation.
func (s Size) sine() mod1.ParametersLiteral {
	sine := mod1.ParametersLiteral{LogScale: s.LogScaleSine, Mod1Type: mod1.CosDiscrete, Mod1Degree: 30, DoubleAngle: 3, K: 16,
		LogMessageRatio: LogMessageRatio}
	sine.LevelQ = s.Levels + sine.Depth()
	return sine
}

// Ring is everything that follows from a size.
type Ring struct {
	Size
	Parameters ckks.Parameters
	Sine       mod1.ParametersLiteral
	// Slots is CoeffsToSlots without its factor.
	Slots dft.MatrixLiteral
	// Answers is the ring of answers on their way to the key of the frames.
	Answers rlwe.Parameters
}

// Ring computes the primes.
func (s Size) Ring() (*Ring, error) {
	sine := s.sine()
	logQ := []int{s.LogQ0}
	for i := 0; i < s.Levels; i++ {
		logQ = append(logQ, s.LogScale)
	}
	for i := 0; i < sine.Depth(); i++ {
		logQ = append(logQ, s.LogScaleSine)
	}
	logQ = append(logQ, s.LogSlots...)
	parameters, err := ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: s.LogN, LogQ: logQ, LogP: s.LogP, LogDefaultScale: s.LogScale, Xs: ring.Ternary{P: 2.0 / 3}})
	if err != nil {
		return nil, err
	}
	answers, err := rlwe.NewParametersFromLiteral(rlwe.ParametersLiteral{
		LogN: s.LogN, Q: []uint64{AnswerModulus}, P: []uint64{AnswerSpecial}, NTTFlag: true})
	if err != nil {
		return nil, err
	}
	levels := make([]int, len(s.LogSlots))
	for i := range levels {
		levels[i] = 1
	}
	slots := dft.MatrixLiteral{Type: dft.HomomorphicEncode, Format: dft.RepackImagAsReal, LogSlots: s.LogN - 1,
		LevelQ: parameters.MaxLevel(), LevelP: parameters.MaxLevelP(), LogBSGSRatio: 1, Levels: levels}
	return &Ring{Size: s, Parameters: parameters, Sine: sine, Slots: slots, Answers: answers}, nil
}

// Step is k: the coefficients of a frame are that far apart.
func (r *Ring) Step() int { return r.Parameters.N() / FrameDegree }

// Rotations are the automorphisms that a job needs, those of CoeffsToSlots and the conjugation.
func (r *Ring) Rotations() []uint64 {
	unique := map[uint64]bool{r.Parameters.GaloisElementForComplexConjugation(): true}
	for _, element := range r.Slots.GaloisElements(r.Parameters) {
		unique[element] = true
	}
	elements := make([]uint64, 0, len(unique))
	for element := range unique {
		elements = append(elements, element)
	}
	sort.Slice(elements, func(i, j int) bool { return elements[i] < elements[j] })
	return elements
}

// Digest names the parameters: all primes, all literals, the version of Lattigo.
func (r *Ring) Digest() [sha256.Size]byte {
	size := r.Size
	size.Memory = 0 // No parameter of a key.
	facts := []any{Lattigo, size, r.Parameters.Q(), r.Parameters.P(), r.Sine, r.Slots, r.Answers.Q(), r.Answers.P(), r.Rotations(),
		EphemeralWeight, AnswerDigit}
	text, err := json.Marshal(facts)
	if err != nil {
		panic(err) // Numbers and strings alone.
	}
	return sha256.Sum256(text)
}

// Modulus is q0, the prime of merged ciphertexts.
func (r *Ring) Modulus() uint64 { return r.Parameters.Q()[0] }

// Label says what is known of the security of a set of keys.
func (r *Ring) Label() string {
	if r.Insecure {
		return "insecure, for tests"
	}
	bits := new(big.Int).Mul(r.Parameters.QBigInt(), r.Parameters.PBigInt()).BitLen()
	sparse := new(big.Int).Mul(new(big.Int).SetUint64(r.Modulus()), new(big.Int).SetUint64(r.Parameters.P()[0])).BitLen()
	return fmt.Sprintf("dense ternary, log2 QP %d at 2^%d; sparse-%d for one key of %d bits", bits, r.LogN, EphemeralWeight, sparse)
}

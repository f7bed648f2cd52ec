// Package generate makes the keys of a size from the secret key of the frames. It belongs to the owner's program alone: the
// backend of a server does not contain it.
package generate

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/utils"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"

	"isopod/deep/keyset"
	"isopod/deep/size"
)

// SeedBytes is the length of the seed that S and the ephemeral secret follow from.
const SeedBytes = 32

// Owner holds what keys are made from.
type Owner struct {
	ring *size.Ring
	id   keyset.Identity
	// frames is s(X^k), large is S, ephemeral the sparse secret of one modulus.
	frames, large, ephemeral []int8
}

// NewOwner derives all secrets from the secret key of the frames and a seed, so that an interrupted generation goes on.
func NewOwner(r *size.Ring, secret []int8, seed []byte) (*Owner, error) {
	if len(secret) != size.FrameDegree || len(seed) != SeedBytes {
		return nil, fmt.Errorf("secret: %d coefficients, seed of %d bytes; allowed are %d and %d", len(secret), len(seed),
			size.FrameDegree, SeedBytes)
	}
	for i, coefficient := range secret {
		if coefficient < -1 || coefficient > 1 {
			return nil, fmt.Errorf("secret: %d at %d; allowed are -1 to 1", coefficient, i)
		}
	}
	owner := &Owner{ring: r, frames: make([]int8, r.Parameters.N())}
	for j, coefficient := range secret {
		owner.frames[j*r.Step()] = coefficient
	}
	owner.id = keyset.Identity{Parameters: r.Digest(), Set: sha256.Sum256(append([]byte("set of keys"), seed...))}
	var err error
	if owner.large, err = owner.draw(seed, "large", ring.Ternary{P: 2.0 / 3}); err != nil {
		return nil, err
	}
	owner.ephemeral, err = owner.draw(seed, "ephemeral", ring.Ternary{H: size.EphemeralWeight})
	return owner, err
}

// draw samples a ternary secret from a stream that its name and the seed key.
func (o *Owner) draw(seed []byte, name string, distribution ring.Ternary) ([]int8, error) {
	key := sha256.Sum256(append([]byte(name), seed...))
	stream, err := sampling.NewKeyedPRNG(key[:])
	if err != nil {
		return nil, err
	}
	first := o.ring.Parameters.RingQ().AtLevel(0)
	sampler, err := ring.NewTernarySampler(stream, first, distribution, false)
	if err != nil {
		return nil, err
	}
	drawn := sampler.ReadNew()
	coefficients := make([]int8, first.N())
	for i, residue := range drawn.Coeffs[0] {
		switch residue {
		case 0:
		case 1:
			coefficients[i] = 1
		default:
			coefficients[i] = -1
		}
	}
	return coefficients, nil
}

// key writes a secret in the form of a ring of Lattigo.
func key(parameters rlwe.Parameters, coefficients []int8) *rlwe.SecretKey {
	secret := rlwe.NewSecretKey(parameters)
	fill := func(moduli []uint64, rows [][]uint64) {
		for row, modulus := range moduli {
			for i, coefficient := range coefficients {
				rows[row][i] = uint64(int64(coefficient) + int64(modulus)&(int64(coefficient)>>63))
			}
		}
	}
	fill(parameters.Q(), secret.Value.Q.Coeffs)
	fill(parameters.P(), secret.Value.P.Coeffs)
	both := parameters.RingQP()
	both.NTT(secret.Value, secret.Value)
	both.MForm(secret.Value, secret.Value)
	return secret
}

type task struct {
	name string
	make func() *rlwe.EvaluationKey
}

// Run writes the keys that the folder does not have yet, and says how many of them are done.
func (o *Owner) Run(folder string, progress func(done, total int) error) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := keyset.Sweep(folder); err != nil {
		return err
	}
	tasks := o.tasks()
	for done, task := range tasks {
		if err := progress(done, len(tasks)); err != nil {
			return err
		}
		if found, err := o.has(folder, task.name); err != nil {
			return err
		} else if found {
			continue
		}
		if err := keyset.Write(folder, task.name, o.id, task.make()); err != nil {
			return err
		}
	}
	if err := keyset.WriteSet(folder, o.ring.Name, o.ring.Label(), o.id); err != nil {
		return err
	}
	return progress(len(tasks), len(tasks))
}

// has tells whether a key is there, whole and of this set. One of another set is an error, because it may be in use.
func (o *Owner) has(folder, name string) (bool, error) {
	err := keyset.Check(folder, name, o.id)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, keyset.ErrDamaged) {
		return false, nil
	}
	return err == nil, err
}

func (o *Owner) tasks() []task {
	parameters := o.ring.Parameters.Parameters
	large := key(parameters, o.large)
	seeded := rlwe.EvaluationKeyParameters{Compressed: true}
	tasks := []task{
		{keyset.FromFrames, func() *rlwe.EvaluationKey {
			lowest := rlwe.EvaluationKeyParameters{LevelQ: utils.Pointy(0), LevelP: utils.Pointy(0), Compressed: true}
			from, to := key(parameters, o.frames), key(parameters, o.ephemeral)
			return rlwe.NewKeyGenerator(parameters).GenEvaluationKeyNew(from, to, lowest)
		}},
		{keyset.FromEphemeral, func() *rlwe.EvaluationKey {
			return rlwe.NewKeyGenerator(parameters).GenEvaluationKeyNew(key(parameters, o.ephemeral), large, seeded)
		}},
		{keyset.Relinearization, func() *rlwe.EvaluationKey {
			return &rlwe.NewKeyGenerator(parameters).GenRelinearizationKeyNew(large, seeded).EvaluationKey
		}},
		{keyset.ToFrames, func() *rlwe.EvaluationKey {
			digits := rlwe.EvaluationKeyParameters{BaseTwoDecomposition: utils.Pointy(size.AnswerDigit), Compressed: true}
			answers := o.ring.Answers
			return rlwe.NewKeyGenerator(answers).GenEvaluationKeyNew(key(answers, o.large), key(answers, o.frames), digits)
		}},
	}
	for _, element := range o.ring.Rotations() {
		tasks = append(tasks, task{keyset.Rotation(element), func() *rlwe.EvaluationKey {
			return &rlwe.NewKeyGenerator(parameters).GenGaloisKeyNew(element, large, seeded).EvaluationKey
		}})
	}
	return tasks
}

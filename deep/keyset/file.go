// Package keyset reads and writes the files of a set of keys: one evaluation key each, seeded, under a digest.
package keyset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"

	"isopod/deep/pipe"
)

// Names of the keys that are not rotations.
const (
	FromFrames      = "from-frames"     // s(X^k) to the ephemeral secret, modulo q0 alone
	FromEphemeral   = "from-ephemeral"  // the ephemeral secret to S
	Relinearization = "relinearization" // S^2 to S
	ToFrames        = "to-frames"       // S to s(X^k), modulo the prime of answers
	magic           = "isopodkey"
	seedBytes       = 32
)

// Rotation is the name of the key of an automorphism.
func Rotation(element uint64) string { return fmt.Sprintf("rotation-%d", element) }

// headBytes: magic, digest of the parameters, identity of the set, seed.
const headBytes = len(magic) + 2*sha256.Size + seedBytes

// Identity names a set of keys: parameters and a number that the generation draws from the secret.
type Identity struct {
	Parameters [sha256.Size]byte
	Set        [sha256.Size]byte
}

func (id Identity) head(seed []byte) []byte {
	head := append([]byte(magic), id.Parameters[:]...)
	return append(append(head, id.Set[:]...), seed...)
}

// Path is the file of a key.
func Path(folder, name string) string { return filepath.Join(folder, name+".key") }

// unfinished are files that an interrupted call leaves.
const unfinished = ".unfinished-*"

// Sweep removes what interrupted calls left. Only one generation may run in a folder.
func Sweep(folder string) error {
	left, err := filepath.Glob(filepath.Join(folder, unfinished))
	if err != nil {
		return err
	}
	for _, path := range left {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Write writes a seeded key to a file that exists whole or not at all.
func Write(folder, name string, id Identity, key *rlwe.EvaluationKey) (err error) {
	file, err := os.CreateTemp(folder, unfinished)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	digest := sha256.New()
	to := io.MultiWriter(file, digest)
	if _, err = to.Write(id.head(key.Seed)); err != nil {
		return err
	}
	if _, err = key.GadgetCiphertext.WriteTo(to); err != nil {
		return err
	}
	if _, err = file.Write(digest.Sum(nil)); err != nil {
		return err
	}
	if err = errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), Path(folder, name))
}

// Read reads a key and expands its seed. A file of other parameters, of another set or with a flipped bit is refused.
func Read(folder, name string, id Identity, parameters rlwe.ParameterProvider) (*rlwe.EvaluationKey, error) {
	key, err := read(folder, name, id)
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", name, err)
	}
	return key, key.Expand(parameters, nil)
}

// Check reads a key only to see that it is whole and of this set.
func Check(folder, name string, id Identity) error {
	if _, err := read(folder, name, id); err != nil {
		return fmt.Errorf("key %s: %w", name, err)
	}
	return nil
}

// ErrDamaged marks a file that ends early or differs from its digest.
var ErrDamaged = errors.New("damaged; allowed is the file as it was written")

func read(folder, name string, id Identity) (*rlwe.EvaluationKey, error) {
	file, err := os.Open(Path(folder, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	body := info.Size() - int64(headBytes) - sha256.Size
	if body <= 0 {
		return nil, fmt.Errorf("length: %d bytes: %w", info.Size(), ErrDamaged)
	}
	digest := sha256.New()
	head := make([]byte, headBytes)
	if _, err := io.ReadFull(io.TeeReader(file, digest), head); err != nil {
		return nil, err
	}
	if err := id.check(head); err != nil {
		return nil, err
	}
	key := &rlwe.EvaluationKey{Seed: head[headBytes-seedBytes:]}
	if err := readChecked(file, body, digest, key); err != nil {
		return nil, err
	}
	return key, nil
}

// readChecked verifies the digest before a byte reaches Lattigo's reader, so that a damaged length allocates nothing.
func readChecked(file *os.File, body int64, digest hash.Hash, key *rlwe.EvaluationKey) error {
	content := make([]byte, body+sha256.Size)
	if _, err := io.ReadFull(file, content); err != nil {
		return err
	}
	digest.Write(content[:body])
	if !bytes.Equal(digest.Sum(nil), content[body:]) {
		return fmt.Errorf("digest: %w", ErrDamaged)
	}
	_, err := key.GadgetCiphertext.ReadFrom(bytes.NewReader(content[:body]))
	return err
}

func (id Identity) check(head []byte) error {
	own := id.head(nil)
	at := len(magic)
	switch {
	case !bytes.Equal(head[:at], own[:at]):
		return errors.New("file: no key of this program")
	case !bytes.Equal(head[at:at+sha256.Size], id.Parameters[:]):
		return fmt.Errorf("parameters: %s; allowed are %s", short(head[at:]), short(id.Parameters[:]))
	case !bytes.Equal(head[at+sha256.Size:len(own)], id.Set[:]):
		return fmt.Errorf("set: %s; allowed is %s", short(head[at+sha256.Size:]), short(id.Set[:]))
	}
	return nil
}

func short(digest []byte) string { return hex.EncodeToString(digest[:8]) }

// SetFile holds the identity, once all keys are there.
const SetFile = "keys.deep"

// WriteSet says that the folder is complete.
func WriteSet(folder, name, label string, id Identity) error {
	body := pipe.Fields(magic).Text(name).Text(label)
	body = append(append(body, id.Parameters[:]...), id.Set[:]...)
	sum := sha256.Sum256(body)
	temporary := filepath.Join(folder, ".unfinished-set")
	if err := os.WriteFile(temporary, append(body, sum[:]...), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(folder, SetFile))
}

// ReadSet reads size and identity of a complete folder.
func ReadSet(folder string) (name, label string, id Identity, err error) {
	data, err := os.ReadFile(filepath.Join(folder, SetFile))
	if err != nil {
		return "", "", id, fmt.Errorf("keys: %w; `isopod server-keys --size` makes them", err)
	}
	if len(data) < sha256.Size || sha256.Sum256(data[:len(data)-sha256.Size]) != [sha256.Size]byte(data[len(data)-sha256.Size:]) {
		return "", "", id, fmt.Errorf("keys: %w", ErrDamaged)
	}
	fields := pipe.From(data[:len(data)-sha256.Size])
	fields.Bytes(len(magic))
	name, label = fields.Text(), fields.Text()
	copy(id.Parameters[:], fields.Bytes(sha256.Size))
	copy(id.Set[:], fields.Bytes(sha256.Size))
	return name, label, id, fields.End()
}

package keyset

import (
	"sync"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"

	"isopod/deep/size"
)

// Store gives an evaluator its keys and reads each from its file when it is asked for. Expanded keys stay in memory up to a
// number of bytes; the first ones stay, because a circuit asks for all of them in turn.
type Store struct {
	folder     string
	id         Identity
	parameters rlwe.Parameters
	elements   []uint64
	room       int64

	lock      sync.Mutex
	rotations map[uint64]*rlwe.GaloisKey
	multiply  *rlwe.RelinearizationKey
}

// NewStore reads keys of these automorphisms from a folder and keeps about so many bytes of them.
func NewStore(folder string, id Identity, r *size.Ring, room int64) *Store {
	return &Store{folder: folder, id: id, parameters: r.Parameters.Parameters, elements: r.Rotations(), room: room,
		rotations: map[uint64]*rlwe.GaloisKey{}}
}

// GetGaloisKey reads the key of an automorphism.
func (s *Store) GetGaloisKey(element uint64) (*rlwe.GaloisKey, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if key, ok := s.rotations[element]; ok {
		return key, nil
	}
	read, err := Read(s.folder, Rotation(element), s.id, s.parameters)
	if err != nil {
		return nil, err
	}
	key := &rlwe.GaloisKey{GaloisElement: element, NthRoot: s.parameters.RingQ().NthRoot(), EvaluationKey: *read}
	if size := int64(key.BinarySize()); size <= s.room {
		s.room -= size
		s.rotations[element] = key
	}
	return key, nil
}

// GetGaloisKeysList lists what the folder has. An evaluator prepares its tables of indices from this list.
func (s *Store) GetGaloisKeysList() []uint64 { return s.elements }

// GetRelinearizationKey reads the key of products once, because every product needs it.
func (s *Store) GetRelinearizationKey() (*rlwe.RelinearizationKey, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.multiply == nil {
		read, err := Read(s.folder, Relinearization, s.id, s.parameters)
		if err != nil {
			return nil, err
		}
		s.multiply = &rlwe.RelinearizationKey{EvaluationKey: *read}
	}
	return s.multiply, nil
}

// ShallowCopy is the store itself, which locks.
func (s *Store) ShallowCopy() rlwe.EvaluationKeySet { return s }

//go:build insecure

package generate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isopod/deep/keyset"
	"isopod/deep/size"
)

var errStop = errors.New("stop")

func owner(t *testing.T, seed byte) *Owner {
	t.Helper()
	chosen, err := size.ByName("insecure-12")
	if err != nil {
		t.Fatal(err)
	}
	ring, err := chosen.Ring()
	if err != nil {
		t.Fatal(err)
	}
	seeds := make([]byte, SeedBytes)
	seeds[0] = seed
	owner, err := NewOwner(ring, make([]int8, size.FrameDegree), seeds)
	if err != nil {
		t.Fatal(err)
	}
	return owner
}

// stopAfter runs a generation up to a number of keys.
func stopAfter(t *testing.T, o *Owner, folder string, keys int) {
	t.Helper()
	err := o.Run(folder, func(done, _ int) error {
		if done == keys {
			return errStop
		}
		return nil
	})
	if !errors.Is(err, errStop) {
		t.Fatal(err)
	}
}

func TestAnInterruptedGenerationGoesOn(t *testing.T) {
	folder := t.TempDir()
	stopAfter(t, owner(t, 1), folder, 2)
	if _, _, _, err := keyset.ReadSet(folder); err == nil {
		t.Fatal("a set without all keys counts as whole")
	}
	first := filepath.Join(folder, keyset.FromFrames+".key")
	before, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(folder, ".unfinished-7")
	if err := os.WriteFile(left, before, 0o600); err != nil {
		t.Fatal(err)
	}
	stopAfter(t, owner(t, 1), folder, 3)
	if _, err := os.Stat(left); err == nil {
		t.Error("what an interrupted call left is still there")
	}
	if after, err := os.ReadFile(first); err != nil || string(after) != string(before) {
		t.Error("a key that was there was made again", err)
	}
	// A key that the disk damaged is made again.
	before[len(before)/2] ^= 1
	if err := os.WriteFile(first, before, 0o644); err != nil {
		t.Fatal(err)
	}
	stopAfter(t, owner(t, 1), folder, 1)
	if err := keyset.Check(folder, keyset.FromFrames, owner(t, 1).id); err != nil {
		t.Error(err)
	}
}

func TestKeysOfAnotherOwnerAreLeftAlone(t *testing.T) {
	folder := t.TempDir()
	stopAfter(t, owner(t, 1), folder, 1)
	err := owner(t, 2).Run(folder, func(int, int) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "set: ") {
		t.Error(err)
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	folder, o := t.TempDir(), owner(t, 1)
	stopAfter(t, o, folder, 1)
	path := keyset.Path(folder, keyset.FromFrames)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, 20, 60, 90, 130, 140, len(whole) - 1} {
		damaged := append([]byte(nil), whole...)
		damaged[at] ^= 0x80
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if keyset.Check(folder, keyset.FromFrames, o.id) == nil {
			t.Errorf("byte %d may differ", at)
		}
	}
	for _, length := range []int{0, 50, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:length], 0o644); err != nil {
			t.Fatal(err)
		}
		if keyset.Check(folder, keyset.FromFrames, o.id) == nil {
			t.Errorf("%d bytes are enough", length)
		}
	}
}

func TestSecretsOutOfRangeAreRefused(t *testing.T) {
	o := owner(t, 1)
	wide := make([]int8, size.FrameDegree)
	wide[9] = 2
	for wanted, err := range map[string]error{
		"2 at 9":          errorOf(NewOwner(o.ring, wide, make([]byte, SeedBytes))),
		"3 coefficients":  errorOf(NewOwner(o.ring, make([]int8, 3), make([]byte, SeedBytes))),
		"seed of 1 bytes": errorOf(NewOwner(o.ring, make([]int8, size.FrameDegree), make([]byte, 1))),
	} {
		if err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: %v", wanted, err)
		}
	}
}

func errorOf(_ *Owner, err error) error { return err }

func TestSecretsAreTernaryAndOfTheirWeight(t *testing.T) {
	o, other := owner(t, 1), owner(t, 2)
	weight := func(secret []int8) (total int) {
		for _, coefficient := range secret {
			total += int(coefficient * coefficient)
		}
		return total
	}
	if found := weight(o.ephemeral); found != size.EphemeralWeight {
		t.Errorf("weight of the ephemeral secret: %d", found)
	}
	if found := weight(o.large); found < len(o.large)*6/10 || found > len(o.large)*7/10 {
		t.Errorf("weight of the large secret: %d of %d", found, len(o.large))
	}
	equal := 0
	for i := range o.large {
		if o.large[i] == other.large[i] {
			equal++
		}
	}
	if equal > len(o.large)/2 {
		t.Errorf("secrets of two seeds agree in %d of %d", equal, len(o.large))
	}
}

package circuit

import "fmt"

// MostCiphertexts are added in one job. The sum of their means, at the scale of the levels, stays far below q0.
const MostCiphertexts = 1 << 12

// Job is a question about the readings of merged ciphertexts.
type Job interface {
	// Check refuses numbers out of range.
	Check() error
	// Size is the number of ciphertexts, and that of all stages that are reported.
	Size() (ciphertexts, stages int)
	// Start begins a job that Check takes.
	Start(c *Circuit) Work
}

// Work is a job on its way: ciphertexts are added one by one, and memory does not grow with their number.
type Work interface {
	// Add computes on a ciphertext. Its answers are those of its readings; none where those of all readings follow at the end.
	Add(valid Valid, c0, c1 []uint64) ([]*Answer, error)
	// Answers are of everything that was added.
	Answers() ([]*Answer, error)
}

func checkCiphertexts(count int) error {
	if count < 1 || count > MostCiphertexts {
		return fmt.Errorf("ciphertexts: %d; allowed are 1 to %d", count, MostCiphertexts)
	}
	return nil
}

//go:build insecure

package size

// Rings of tests: two and four frames, seconds of work, and no security at all, the second one with the primes of deep-15.
// Programs that are built without the tag do not have them.
func init() {
	sizes["insecure-12"] = Size{Name: "insecure-12", Insecure: true, LogN: 12, LogScale: 40, LogScaleSine: 60, Levels: 13, LogQ0: 60,
		LogSlots: []int{56, 56}, LogP: []int{61, 61, 61, 61, 61, 61, 61}, Memory: 500 << 20}
	sizes["insecure-13"] = Size{Name: "insecure-13", Insecure: true, LogN: 13, LogScale: 32, LogScaleSine: 36, Levels: 6,
		TablesAlone: true, LogQ0: 57, LogSlots: []int{35, 35, 35, 35}, LogP: []int{38, 38, 38, 38, 38}, Memory: 500 << 20}
}

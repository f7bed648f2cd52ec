//go:build insecure

package size

// The ring of tests: two frames, seconds of work, and no security at all. Programs that are built without the tag do not have it.
func init() {
	sizes["insecure-12"] = Size{Name: "insecure-12", Insecure: true, LogN: 12, LogScale: 40, LogScaleSine: 60, Levels: 13, LogQ0: 60,
		LogSlots: []int{56, 56}, LogP: []int{61, 61, 61, 61, 61, 61, 61}, Memory: 500 << 20}
}

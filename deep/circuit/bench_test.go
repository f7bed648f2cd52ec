//go:build insecure && bench

package circuit

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// processor is the processor time of this process in seconds, which hardly depends on what else the machine does.
func processor(t *testing.T) float64 {
	t.Helper()
	var usage syscall.Rusage
	check(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	seconds := func(value syscall.Timeval) float64 { return float64(value.Sec) + float64(value.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// room holds the expanded rotation keys of deep-16, so that the second job reads none.
const room = 5 << 30

// part of the measurements.
type part struct {
	name    string
	measure func(*testing.T, *frames, *Circuit, func(string, float64))
}

// TestMeasure writes the figures of DEEP_SIZE to DEEP_OUT: `make bench-deep`. Keys stay in DEEP_KEYS. The first job reads the
// keys from their files, the second one has them in memory. A part by itself is TestMeasure/decisions, and the like.
func TestMeasure(t *testing.T) {
	runtime.GOMAXPROCS(1)
	name, keys := os.Getenv("DEEP_SIZE"), os.Getenv("DEEP_KEYS")
	records := []map[string]any{}
	note := func(figure string, value float64) {
		records = append(records, map[string]any{"case": figure + "-" + strings.TrimPrefix(name, "deep-"), "value": value})
		fmt.Printf("%-24s %g\n", figure, value)
	}
	start := processor(t)
	f := newFrames(t, name, keys)
	note("key-seconds", processor(t)-start)
	note("key-bytes", folderBytes(t, keys))
	start = processor(t)
	circuit, err := New(f.ring, f.folder, f.id, room)
	check(t, err)
	note("prepare-seconds", processor(t)-start)
	first := func(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
		stages(t, f, circuit, func(figure string, value float64) { note("first-"+figure, value) })
	}
	exact := func(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
		tables(t, f, circuit, []int{8, 9, 10}, note)
	}
	parts := []part{{"first", first}, {"count", stages}, {"histogram", histogram}, {"alarms", alarms}, {"models", models},
		{"covariances", covariances}, {"decisions", decisions}, {"tables", exact}}
	if f.ring.TablesAlone {
		parts = []part{{"tables", func(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
			// Keys are read by a job of which nothing is noted.
			tables(t, f, circuit, []int{4}, func(string, float64) {})
			tables(t, f, circuit, []int{4, 5, 6}, note)
		}}}
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.measure(t, f, circuit, note) })
	}
	note("memory-bytes", peakBytes(t))
	write(t, records)
}

// write replaces the records that the file has of the same cases, and adds the others.
func write(t *testing.T, records []map[string]any) {
	var all []map[string]any
	if text, err := os.ReadFile(os.Getenv("DEEP_OUT")); err == nil {
		check(t, json.Unmarshal(text, &all))
	}
	for _, record := range records {
		all = slices.DeleteFunc(all, func(other map[string]any) bool { return other["case"] == record["case"] })
	}
	text, err := json.MarshalIndent(append(all, records...), "", " ")
	check(t, err)
	check(t, os.WriteFile(os.Getenv("DEEP_OUT"), text, 0o644))
}

// TestMemory notes the largest resident memory of jobs that keep no rotation key, under the limit that a program has by itself: a
// table, and where there is a sine a network, which takes most of all. Keys are those of TestMeasure.
func TestMemory(t *testing.T) {
	runtime.GOMAXPROCS(1)
	name := os.Getenv("DEEP_SIZE")
	f := newFrames(t, name, os.Getenv("DEEP_KEYS"))
	debug.SetMemoryLimit(f.ring.Memory / 10 * 9)
	circuit, err := New(f.ring, f.folder, f.id, 0)
	check(t, err)
	quiet := func(string, float64) {}
	if f.ring.TablesAlone {
		tables(t, f, circuit, []int{6}, quiet)
	} else {
		tables(t, f, circuit, []int{10}, quiet)
		models(t, f, circuit, quiet)
	}
	peak := peakBytes(t)
	fmt.Printf("memory-%s %g\n", name, peak)
	write(t, []map[string]any{{"case": "memory-" + name, "value": peak}})
}

// stages runs one count and notes the time of each stage, a reading, and the answer's distance from the clear.
func stages(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
	names := []string{"keys", "raise", "slots", "reduce", "polynomials", "answer"}
	last, running := processor(t), -1
	seconds := map[int]float64{}
	finish := func(next int) {
		if running >= 0 {
			seconds[running] = processor(t) - last
		}
		last, running = processor(t), next
	}
	degree := f.ring.Parameters.N()
	values, valid, wanted := readings(degree)
	c0, c1 := f.merged(rand.New(rand.NewSource(3)), values, func(int) bool { return true })
	circuit.Stage = func(stage int) error { finish(stage); return nil }
	work := Count{Edge: Edge{3 * unit, 11.25 * unit}, Ciphertexts: 1}.Start(circuit)
	_, err := work.Add(valid, c0, c1)
	check(t, err)
	answers, err := work.Answers()
	check(t, err)
	finish(-1)
	for stage := StageRaise; stage <= StageAnswer; stage++ {
		note("seconds-"+names[stage], seconds[stage])
	}
	toSlots := seconds[StageRaise] + seconds[StageSlots] + seconds[StageReduce]
	note("to-slots", 1e6*toSlots/float64(degree))
	note("alarm", 1e6*(toSlots+seconds[StagePolynomials]+seconds[StageAnswer])/float64(degree))
	note("count-error", math.Abs(f.read(answers[0])-float64(wanted)))
}

// histogram runs one with three edges, and notes the time of an edge for a reading, and the largest distance of a bin from the
// clear.
func histogram(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
	edges, degree := []float64{-6.5, -1, 4}, f.ring.Parameters.N()
	random := rand.New(rand.NewSource(11))
	values, valid, wanted := binned(random, degree, edges, func(int) bool { return true })
	c0, c1 := f.merged(random, values, func(int) bool { return true })
	began, ended := 0.0, 0.0
	circuit.Stage = func(stage int) error {
		switch {
		case stage == StagePolynomials && began == 0:
			began = processor(t)
		case stage == StageAnswer:
			ended = processor(t)
		}
		return nil
	}
	work := histogramOf(edges, 1).Start(circuit)
	_, err := work.Add(valid, c0, c1)
	check(t, err)
	answers, err := work.Answers()
	check(t, err)
	note("edge", 1e6*(ended-began)/float64(len(edges)*degree))
	furthest := 0.0
	for bin, answer := range answers {
		furthest = math.Max(furthest, math.Abs(f.read(answer)-float64(wanted[bin])))
	}
	note("bin-error", furthest)
}

// alarms counts the readings whose bit is wrong, and those outside of the values that are promised.
func alarms(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
	degree := f.ring.Parameters.N()
	values, valid, _ := readings(degree)
	c0, c1 := f.merged(rand.New(rand.NewSource(3)), values, func(int) bool { return true })
	start := processor(t)
	answers := answered(t, circuit, Alarm{Edge: Edge{3 * unit, 11.25 * unit}, Ciphertexts: 1}, valid, c0, c1)
	note("alarm-each", 1e6*(processor(t)-start)/float64(degree))
	wrong, furthest := 0.0, 0.0
	for at, value := range f.values(t, answers[0]) {
		wanted := 0.0
		if values[at] > 3*unit {
			wanted = 1
		}
		if value > 0.5 != (wanted > 0.5) {
			wrong++
		}
		furthest = math.Max(furthest, math.Abs(value-wanted))
	}
	note("alarm-wrong", wrong)
	note("alarm-error", furthest)
}

// models notes the time of a row of three columns, and the largest distance from the polynomials in the clear: a logistic model,
// and a network of 16 hidden units and three outputs.
func models(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
	random := rand.New(rand.NewSource(41))
	unit := func(weights int) Unit {
		drawn := make([]float64, weights)
		for at := range drawn {
			drawn[at] = 2*random.Float64() - 1
		}
		return sum(random.Float64()-0.5, drawn...)
	}
	link := interpolated(func(x float64) float64 { return logistic(12 * x) }, 64)
	one := Network{LogStride: logStride, Columns: columns, Link: link, Ciphertexts: 1, Outputs: []Unit{unit(columns)}}
	activation := interpolated(func(x float64) float64 { return math.Tanh(4 * x) }, 32)
	several := Network{LogStride: logStride, Columns: columns, Activation: activation, Ciphertexts: 1}
	for range 16 {
		several.Hidden = append(several.Hidden, unit(columns))
	}
	for range 3 {
		output := Unit{Weights: make([]float64, 16), Bias: 0.5}
		for at := range output.Weights {
			output.Weights[at] = (random.Float64() - 0.5) / 16
		}
		several.Outputs = append(several.Outputs, output)
	}
	for name, job := range map[string]Network{"logistic": one, "network": several} {
		note(name+"-row", 1e6*model(t, f, circuit, job, func(error float64) { note(name+"-error", error) }))
	}
}

// model is the time of a row, and tells the error.
func model(t *testing.T, f *frames, circuit *Circuit, job Network, tell func(float64)) float64 {
	step := f.ring.Step()
	values, valid, sent := rowsOf(rand.New(rand.NewSource(31)), f.ring.Parameters.N(), step)
	c0, c1 := f.merged(rand.New(rand.NewSource(3)), values, sent)
	start := processor(t)
	answers := answered(t, circuit, job, valid, c0, c1)
	seconds, rows, furthest := processor(t)-start, 0.0, 0.0
	found := f.values(t, answers[0])
	for at := range found {
		if sent(at) && at/step%(1<<logStride) == 0 {
			rows++
			for output := range job.Outputs {
				wanted := wantedOf(job, values, at, step, output)
				furthest = math.Max(furthest, math.Abs(found[at+output*step]-wanted))
			}
		}
	}
	tell(furthest)
	return seconds / rows
}

// covariances notes the time of a reading for the variances of three columns and one covariance, and their largest distance from
// the clear, of numbers up to 64.
func covariances(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
	step := f.ring.Step()
	values, valid, sent := rowsOf(rand.New(rand.NewSource(51)), f.ring.Parameters.N(), step)
	c0, c1 := f.merged(rand.New(rand.NewSource(52)), values, sent)
	pairs := [][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 2}}
	start := processor(t)
	job := Covariance{LogStride: logStride, Columns: columns, Pairs: pairs, Range: (mostReading + 0.05) * unit, Ciphertexts: 1}
	answers := answered(t, circuit, job, valid, c0, c1)
	note("covariances", 1e6*(processor(t)-start)/float64(f.ring.Parameters.N()))
	furthest := 0.0
	for at, pair := range pairs {
		wanted := covarianceInClear(values, step, sent, pair)
		furthest = math.Max(furthest, math.Abs(f.read(answers[at])-wanted)/unit/unit)
	}
	note("covariance-error", furthest)
}

// decisions notes the time of a row of three columns, and the largest distance from the clear outside of the gap: a tree of seven
// comparisons, and the largest of three scores.
func decisions(t *testing.T, f *frames, circuit *Circuit, note func(string, float64)) {
	tree := Decision{LogStride: logStride, Columns: columns, SignLevels: 10, Outputs: 2, Ciphertexts: 1}
	for node := range 7 {
		tree.Nodes = append(tree.Nodes, branch(node%columns, float64(node-3)))
	}
	for leaf := range 8 {
		path, node := make([]int, 3), 0
		for level := range path {
			path[level], node = node+1, 2*node+1
			if leaf>>level&1 == 1 {
				path[level], node = -path[level], node+1
			}
		}
		tree.Leaves = append(tree.Leaves, Leaf{path, []int{leaf * LeafUnit / 8, LeafUnit - leaf*LeafUnit/8}})
	}
	largest := Decision{LogStride: logStride, Columns: columns, SignLevels: 10, Outputs: 3, Ciphertexts: 1,
		Nodes: []Unit{sum(0.5, 1, -1, 0.5), sum(-0.5, 0.25, 1, -1), sum(1, 0.5, 0.5, 0.5)},
		Leaves: []Leaf{{[]int{1, 2}, []int{LeafUnit, 0, 0}}, {[]int{-1, 3}, []int{0, LeafUnit, 0}},
			{[]int{-2, -3}, []int{0, 0, LeafUnit}}}}
	for name, job := range map[string]Decision{"tree": tree, "largest": largest} {
		check(t, job.Check())
		step := f.ring.Step()
		values, valid, sent := rowsOf(rand.New(rand.NewSource(61)), f.ring.Parameters.N(), step)
		c0, c1 := f.merged(rand.New(rand.NewSource(62)), values, sent)
		start := processor(t)
		found := f.values(t, answered(t, circuit, job, valid, c0, c1)[0])
		seconds, rows, furthest := processor(t)-start, 0.0, 0.0
		for at := range found {
			if !sent(at) || at/step%(1<<logStride) != 0 {
				continue
			}
			rows++
			for output := range job.Outputs {
				if wanted, isFar := reached(job, values, at, step, output); isFar {
					furthest = math.Max(furthest, math.Abs(found[at+output*step]-wanted))
				}
			}
		}
		note(name+"-row", 1e6*seconds/rows)
		note(name+"-error", furthest)
	}
}

// tables notes the time of a reading for tables of so many bits, and of entries of as many, 8 at most; how many readings have
// another entry, and the largest distance from an entry, in units of 1; and the time of a reading for each further bin of one
// integer.
func tables(t *testing.T, f *frames, circuit *Circuit, sizes []int, note func(string, float64)) {
	const logScale = 19
	all := func(int) bool { return true }
	degree := f.ring.Parameters.N()
	for _, bits := range sizes {
		period, name := 1<<bits, fmt.Sprintf("exact-table-%d-bit", bits)
		random, grid := rand.New(rand.NewSource(71)), gridOf(period, logScale)
		values, valid, entries := integers(random, degree, grid, logScale, all)
		most := float64(min(period, 256) - 1)
		table := outputs(random, period, most)
		c0, c1 := f.merged(random, values, all)
		start := processor(t)
		answers := answered(t, circuit, Lookup{Grid: grid, Values: table, Ciphertexts: 1}, valid, c0, c1)
		note(name, 1e6*(processor(t)-start)/float64(degree))
		wrong, furthest := 0.0, 0.0
		for at, value := range f.values(t, answers[0]) {
			found, wanted := most*value, most*table[entries[at]]
			if math.Round(found) != math.Round(wanted) {
				wrong++
			}
			furthest = math.Max(furthest, math.Abs(found-wanted))
		}
		note(name+"-wrong", wrong)
		note(name+"-error", furthest)
	}
	bins(t, f, circuit, 1<<sizes[0], note)
}

// bins counts the readings of eight integers, and notes how far the count that is furthest off is.
func bins(t *testing.T, f *frames, circuit *Circuit, period int, note func(string, float64)) {
	const logScale, count = 20, 8
	all := func(int) bool { return true }
	random, grid, degree := rand.New(rand.NewSource(72)), gridOf(period, logScale), f.ring.Parameters.N()
	values, valid, entries := integers(random, degree, grid, logScale, all)
	tables, wanted := make([][]float64, count), make([]float64, count)
	for bin := range tables {
		tables[bin] = make([]float64, period)
		tables[bin][period/count*bin] = 1
		for _, entry := range entries {
			wanted[bin] += tables[bin][entry]
		}
	}
	c0, c1 := f.merged(random, values, all)
	began, ended := 0.0, 0.0
	circuit.Stage = func(stage int) error {
		switch stage {
		case StagePolynomials:
			began = processor(t)
		case StageAnswer:
			ended = processor(t)
		}
		return nil
	}
	work := Tally{Grid: grid, Tables: tables, Ciphertexts: 1}.Start(circuit)
	_, err := work.Add(valid, c0, c1)
	check(t, err)
	answers, err := work.Answers()
	check(t, err)
	furthest := 0.0
	for bin, answer := range answers {
		furthest = math.Max(furthest, math.Abs(f.read(answer)-wanted[bin]))
	}
	note("exact-bin", 1e6*(ended-began)/float64(degree*count))
	note("exact-bin-error", furthest)
}

// readings in [-8, 8] outside of the gap around 3.
func readings(degree int) (values []int64, valid []byte, wanted int) {
	random := rand.New(rand.NewSource(7))
	values, valid = make([]int64, degree), make([]byte, degree/8)
	for at := range values {
		reading := random.Float64()*16 - 8
		for math.Abs(reading-3) < Gap*11.25+0.025 {
			reading = random.Float64()*16 - 8
		}
		values[at] = int64(math.Round(reading * unit))
		valid[at/8] |= 1 << (at % 8)
		if reading > 3 {
			wanted++
		}
	}
	return values, valid, wanted
}

func folderBytes(t *testing.T, folder string) (total float64) {
	entries, err := os.ReadDir(folder)
	check(t, err)
	for _, entry := range entries {
		info, err := entry.Info()
		check(t, err)
		total += float64(info.Size())
	}
	return total
}

// peakBytes is the largest resident memory so far.
func peakBytes(t *testing.T) float64 {
	text, err := os.ReadFile(filepath.Join("/proc/self", "status"))
	check(t, err)
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kilobytes float64
			_, err := fmt.Sscan(rest, &kilobytes)
			check(t, err)
			return kilobytes * 1024
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

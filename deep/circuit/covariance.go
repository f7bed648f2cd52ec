package circuit

import (
	"fmt"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"

	"isopod/deep/size"
)

// LogMomentScale is the scale at which a covariance leaves. It is from -1 to 1 in units of the squared range, and the owner reads
// numbers up to a quarter of the modulus.
const LogMomentScale = 27

// MostPairs of columns of one question.
const MostPairs = 64

// Covariance asks for the covariance of pairs of columns over all rows; that of a column with itself is its variance.
type Covariance struct {
	// LogStride and Columns: rows begin at multiples of 2^LogStride coefficients of a frame.
	LogStride, Columns int
	// Pairs of columns.
	Pairs [][2]int
	// Range is in units of a coefficient modulo q: |coefficient| <= Range for every reading.
	Range float64
	// Ciphertexts whose rows count together.
	Ciphertexts int
}

// Check refuses numbers out of range, and columns that rows do not have.
func (j Covariance) Check() error {
	limit := 2.0 * size.FrameModulus
	if err := (Network{LogStride: j.LogStride, Columns: j.Columns}).checkRows(); err != nil {
		return err
	}
	if len(j.Pairs) < 1 || len(j.Pairs) > MostPairs {
		return fmt.Errorf("pairs: %d; allowed are 1 to %d", len(j.Pairs), MostPairs)
	}
	for _, pair := range j.Pairs {
		for _, column := range pair {
			if column < 0 || column >= j.Columns {
				return fmt.Errorf("column: %d; allowed are 0 to %d", column, j.Columns-1)
			}
		}
	}
	if !(j.Range >= 1 && j.Range <= limit) {
		return fmt.Errorf("range: %g; allowed are 1 to %g", j.Range, limit)
	}
	return checkCiphertexts(j.Ciphertexts)
}

// Size counts the stages of slots, and one of products, of each ciphertext, and one of the answers.
func (j Covariance) Size() (ciphertexts, stages int) {
	return j.Ciphertexts, j.Ciphertexts*(slotReports+1) + 1
}

// Start begins a job that Check takes.
func (j Covariance) Start(c *Circuit) Work {
	return &moments{network: network{circuit: c, job: Network{LogStride: j.LogStride, Columns: j.Columns}}, job: j,
		products: map[int]*rlwe.Ciphertext{}}
}

// moments are sums over all ciphertexts, slot by slot: of readings over the range, and of products of readings whose slots are
// that far apart.
type moments struct {
	network
	job      Covariance
	readings *rlwe.Ciphertext
	products map[int]*rlwe.Ciphertext
	rowCount int
}

// first is the column of a pair whose slots come first, and `apart` the distance to those of the other one.
func (m *moments) first(pair [2]int) (column, apart int) {
	column, apart = pair[0], m.place(pair[1])-m.place(pair[0])
	if apart < 0 {
		column, apart = pair[1], -apart
	}
	return column, apart
}

// Add adds products of readings of one ciphertext.
func (m *moments) Add(valid Valid, c0, c1 []uint64) ([]*Answer, error) {
	c := m.circuit
	slots, err := c.ToSlots(valid, c0, c1)
	if err != nil {
		return nil, err
	}
	if err := c.Stage(StagePolynomials); err != nil {
		return nil, err
	}
	for half := range slots.Halves {
		readings, err := c.times(slots.Halves[half], half, valid.either(1/m.job.Range/slots.Unit, 0))
		if err != nil {
			return nil, err
		}
		if err := m.addHalf(readings); err != nil {
			return nil, err
		}
	}
	m.rowCount += m.rows(valid).readings()
	return nil, nil
}

// addHalf adds readings of one half, and every product of them that is asked for.
func (m *moments) addHalf(readings *rlwe.Ciphertext) error {
	evaluator := m.circuit.evaluator.Evaluator
	made := map[int]bool{}
	for _, pair := range m.job.Pairs {
		_, apart := m.first(pair)
		if made[apart] {
			continue
		}
		made[apart] = true
		other, err := m.rotated(readings, apart)
		if err != nil {
			return err
		}
		product, err := evaluator.MulRelinNew(readings, other)
		if err != nil {
			return err
		}
		if err := evaluator.Rescale(product, product); err != nil {
			return err
		}
		if m.products[apart], err = m.circuit.sum(m.products[apart], product); err != nil {
			return err
		}
	}
	var err error
	m.readings, err = m.circuit.sum(m.readings, readings)
	return err
}

// Answers are the covariances: the mean of the products less the product of the means. Each is the mean of all slots, which is
// the constant coefficient.
func (m *moments) Answers() ([]*Answer, error) {
	if err := m.circuit.Stage(StageAnswer); err != nil {
		return nil, err
	}
	means, err := m.means()
	if err != nil {
		return nil, err
	}
	answers := make([]*Answer, len(m.job.Pairs))
	for at, pair := range m.job.Pairs {
		covariance, err := m.covariance(means, pair)
		if err != nil {
			return nil, err
		}
		if answers[at], err = m.circuit.number(covariance, LogMomentScale); err != nil {
			return nil, err
		}
		// In units of the frames' coefficients, squared.
		answers[at].Scale /= m.job.Range * m.job.Range
	}
	return answers, nil
}

// means has the mean of each column in those of its slots whose bits below the column's are zero. Sums over the bits above those
// of the column come round to every slot; sums over the bits below carry into the column's elsewhere.
func (m *moments) means() (*rlwe.Ciphertext, error) {
	c, sum := m.circuit, m.readings.CopyNew()
	evaluator, logSlots := c.evaluator.Evaluator, c.ring.Parameters.LogN()-1
	for bit := range logSlots {
		if bit >= m.lowest() && bit < m.lowest()+m.job.LogStride {
			continue
		}
		rotated, err := evaluator.RotateNew(sum, 1<<bit)
		if err != nil {
			return nil, err
		}
		if err := evaluator.Add(sum, rotated, sum); err != nil {
			return nil, err
		}
	}
	return c.timesEach(sum, sum.Scale, c.inSlots(0, func(int) float64 { return 1 / float64(m.rowCount) }))
}

// covariance is one whose mean over all slots is that of a pair.
func (m *moments) covariance(means *rlwe.Ciphertext, pair [2]int) (*rlwe.Ciphertext, error) {
	c := m.circuit
	evaluator, slots := c.evaluator.Evaluator, c.ring.Parameters.MaxSlots()
	column, apart := m.first(pair)
	other, err := m.rotated(means, apart)
	if err != nil {
		return nil, err
	}
	square, err := evaluator.MulRelinNew(means, other)
	if err != nil {
		return nil, err
	}
	if err := evaluator.Rescale(square, square); err != nil {
		return nil, err
	}
	scale := c.ring.Parameters.DefaultScale()
	products, err := c.timesEach(m.products[apart], scale, m.ofColumn(column, 0, float64(slots)/float64(m.rowCount)))
	if err != nil {
		return nil, err
	}
	// The product of the means is in every slot that has zeros below its column's bits.
	repeated := slots >> (m.lowest() + m.job.LogStride)
	if square, err = c.timesEach(square, scale, m.ofColumn(column, 1<<m.lowest()-1, float64(slots/repeated))); err != nil {
		return nil, err
	}
	evaluator.DropLevel(products, products.Level()-square.Level())
	return products, evaluator.Sub(products, square, products)
}

// ofColumn has a factor in the slots of a column whose bits below are zero where the mask says so, and zero elsewhere.
func (m *moments) ofColumn(column, below int, factor float64) []float64 {
	place, mask := m.place(column), below|(1<<m.job.LogStride-1)<<m.lowest()
	factors := make([]float64, m.circuit.ring.Parameters.MaxSlots())
	for slot := range factors {
		if slot&mask == place {
			factors[slot] = factor
		}
	}
	return factors
}

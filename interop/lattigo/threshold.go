package main

import (
	"encoding/json"
	"io"
	"math/bits"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/multiparty"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/ring/ringqp"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
)

// polynomial holds the residues of its coefficients, prime after prime.
type polynomial = [][]uint64

// question is a ciphertext of BFV, and the shares of the holders who answer. Flood is the deviation of Lattigo's noise.
type question struct {
	RingDegree   int                   `json:"ring_degree"`
	Primes       []uint64              `json:"primes"`
	PlainModulus uint64                `json:"plain_modulus"`
	Holders      uint64                `json:"holders"`
	Active       []uint64              `json:"active"`
	Shares       map[uint64]polynomial `json:"shares"`
	Ciphertext   [2]polynomial         `json:"ciphertext"`
	Flood        float64               `json:"flood"`
}

// answer is what Lattigo makes of it: additive shares, partial decryptions, the message, and shares of a key of its own.
type answer struct {
	Additive map[uint64]polynomial `json:"additive"`
	Partial  map[uint64]polynomial `json:"partial"`
	Message  []uint64              `json:"message"`
	Secret   []int64               `json:"secret"`
	Dealt    map[uint64]polynomial `json:"dealt"`
}

// holders answers the question of several owners.
type holders struct {
	question
	params bgv.Parameters
	ringQ  *ring.Ring
	points []multiparty.ShamirPublicPoint
}

func answerOfOwners(from io.Reader, to io.Writer) error {
	var q question
	if err := json.NewDecoder(from).Decode(&q); err != nil {
		return err
	}
	params, err := bgv.NewParametersFromLiteral(bgv.ParametersLiteral{
		LogN: bits.Len(uint(q.RingDegree)) - 1, Q: q.Primes, PlaintextModulus: q.PlainModulus})
	if err != nil {
		return err
	}
	h := holders{question: q, params: params, ringQ: params.RingQ()}
	for _, point := range q.Active {
		h.points = append(h.points, multiparty.ShamirPublicPoint(point))
	}
	a := answer{Additive: map[uint64]polynomial{}, Partial: map[uint64]polynomial{}, Dealt: map[uint64]polynomial{}}
	if err := h.open(&a); err != nil {
		return err
	}
	if err := h.deal(&a); err != nil {
		return err
	}
	return json.NewEncoder(to).Encode(a)
}

// open combines shares to additive ones, decrypts partially with each, and wholly with their sum.
func (h *holders) open(a *answer) error {
	ciphertext := bgv.NewCiphertext(h.params, 1, h.params.MaxLevel())
	d := integers{set: set{h.RingDegree, h.Primes, h.PlainModulus}, params: h.params}
	ciphertext.Scale, ciphertext.IsBatched = d.scale(len(h.Primes)), false
	for i, value := range h.Ciphertext {
		h.load(value, ciphertext.Value[i])
	}
	protocol, err := multiparty.NewKeySwitchProtocol(h.params, ring.DiscreteGaussian{Sigma: h.Flood, Bound: 6 * h.Flood})
	if err != nil {
		return err
	}
	zero, sum := rlwe.NewSecretKey(h.params), rlwe.NewSecretKey(h.params)
	for _, own := range h.Active {
		share := multiparty.ShamirSecretShare{Poly: h.params.RingQP().NewPoly()}
		h.load(h.Shares[own], share.Poly.Q)
		h.ringQ.MForm(share.Poly.Q, share.Poly.Q)
		additive := rlwe.NewSecretKey(h.params)
		combiner := multiparty.NewCombiner(*h.params.GetRLWEParameters(), multiparty.ShamirPublicPoint(own), h.points, len(h.points))
		if err := combiner.GenAdditiveShare(h.points, multiparty.ShamirPublicPoint(own), share, additive); err != nil {
			return err
		}
		h.ringQ.Add(sum.Value.Q, additive.Value.Q, sum.Value.Q)
		a.Additive[own] = h.key(additive.Value)
		partial := protocol.AllocateShare(h.params.MaxLevel())
		protocol.GenShare(additive, zero, ciphertext, &partial)
		a.Partial[own] = h.coefficients(partial.Value)
	}
	plaintext := rlwe.NewDecryptor(h.params, sum).DecryptNew(ciphertext)
	a.Message = make([]uint64, h.RingDegree)
	return bgv.NewEncoder(h.params).Decode(plaintext, a.Message)
}

// deal shares a fresh key among all holders.
func (h *holders) deal(a *answer) error {
	key := rlwe.NewKeyGenerator(h.params).GenSecretKeyNew()
	thresholdizer := multiparty.NewThresholdizer(h.params)
	polynomial, err := thresholdizer.GenShamirPolynomial(len(h.Active), key)
	if err != nil {
		return err
	}
	for point := uint64(1); point <= h.Holders; point++ {
		share := thresholdizer.AllocateThresholdSecretShare()
		thresholdizer.GenShamirSecretShare(multiparty.ShamirPublicPoint(point), polynomial, &share)
		a.Dealt[point] = h.key(share.Poly)
	}
	for _, residue := range h.key(key.Value)[0] {
		a.Secret = append(a.Secret, centred(residue, h.Primes[0]))
	}
	return nil
}

// load takes coefficients to Lattigo's transform.
func (h *holders) load(from polynomial, into ring.Poly) {
	for j := range from {
		copy(into.Coeffs[j], from[j])
	}
	h.ringQ.NTT(into, into)
}

// key gives the coefficients of a polynomial in Montgomery form, as Lattigo keeps secrets.
func (h *holders) key(value ringqp.Poly) polynomial {
	plain := h.ringQ.NewPoly()
	h.ringQ.IMForm(value.Q, plain)
	return h.coefficients(plain)
}

func (h *holders) coefficients(value ring.Poly) polynomial {
	result := h.ringQ.NewPoly()
	h.ringQ.INTT(value, result)
	return result.Coeffs
}

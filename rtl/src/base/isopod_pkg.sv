// Types, limits and the bank mapping of the engine, shared by all its modules.
//
// A build has one width of moduli, and messages of one length. rtl/sources.py sets the macros
// ISOPOD_MODULUS_WIDTH and ISOPOD_PRECISE to them, from the parameters ModulusWidth and Precise of
// the engine.
`ifndef ISOPOD_MODULUS_WIDTH
`define ISOPOD_MODULUS_WIDTH 32
`endif
`ifndef ISOPOD_PRECISE
`define ISOPOD_PRECISE 0
`endif

package isopod_pkg;

  // 32: primes of 26 to 30 bits; 54 or 61: primes of 36 bits to that many.
  parameter int unsigned BuildWidth = `ISOPOD_MODULUS_WIDTH;
  parameter bit Wide = BuildWidth != 32;
  // Messages of 64-bit words, too; builds of 54 bits.
  parameter bit BuildPrecise = 1'(`ISOPOD_PRECISE);

  // Words of samples and XOFs, and fixed-point words of 30 fraction bits.
  parameter int unsigned WordBits = 32;
  // An XOF gives one word in a cycle, in a wide build two, the first one low.
  parameter int unsigned XofBits = Wide ? 64 : 32;
  // Residues, and the lazy signed words of the ring, within 2 q.
  parameter int unsigned ModulusBits = Wide ? BuildWidth : 30;
  parameter int unsigned MinModulusBits = Wide ? 36 : 26;
  parameter int unsigned RingBits = ModulusBits + 2;
  // Coefficients of a message: its encoding has words of 32 bits, or of 64 with up to 57 of them in
  // front of the rounding.
  parameter int unsigned MessageBits = BuildPrecise ? 59 : WordBits;
  // Words that a transform takes from isopod_source.
  parameter int unsigned SourceBits = BuildPrecise ? MessageBits : RingBits;
  // Plaintext moduli of BFV. Transforms modulo t take t as 2^k - c 2^13 + 1, too, where k is at
  // least PlainModulusBits: t has up to 26 bits where primes have at most 54.
  parameter int unsigned PlainBits = 30;
  parameter int unsigned PlainModulusBits = 25;
  // Words of keys, of descriptors and of transforms on their own, as in blobs of this word size.
  parameter int unsigned KeyBits = Wide ? 64 : 32;

  // Montgomery form is x * 2^KeyBits mod q. Narrow builds reduce in rounds of 11, 11 and 10 bits.
  // Their q is any odd prime with q = 1 mod 2^11: every NTT prime of every degree from 1024 on.
  // Wide builds have rounds of 24, 24 and 16 bits. Their q is 2^k - c 2^13 + 1 with 0 < c < 2^12:
  // the primes of SEAL's chains, which are the largest ones of k bits, from degree 4096 on.
  parameter int unsigned MontgomeryWord = Wide ? 13 : 11;
  parameter int unsigned ExcessBits = 12;

  // Factors of the lanes. Factors of the encode have 34 and 33 bits, lazy words RingBits + 2, words
  // of a precise message 59.
  parameter int unsigned FactorABits = BuildPrecise ? MessageBits : RingBits + 2;
  parameter int unsigned FactorBBits = RingBits + 1;
  parameter int unsigned ProductBits = Wide ? 2 * RingBits : 64;

  // Cycles from the factors to product and residue; `tiled` as in the multipliers.
  function automatic int unsigned product_latency(logic tiled);
    if (Wide) return 8;
    return tiled ? 6 : 3;
  endfunction

  function automatic int unsigned montgomery_latency(logic tiled);
    return product_latency(tiled) + (Wide ? 15 : tiled ? 9 : 6);
  endfunction

  // Cycles that a product of 64-bit words takes besides the multipliers (isopod_long_product_54).
  parameter int unsigned LongProductCycles = 4;

  parameter int unsigned MinLogDegree = 10;
  parameter int unsigned MaxLogDegree = 14;
  parameter int unsigned MaxPrimes = 16;
  parameter int unsigned PrimeWords = 32;  // words of one prime's descriptor

  typedef logic [WordBits-1:0] word_t;
  typedef logic [ModulusBits-1:0] residue_t;
  typedef logic signed [RingBits-1:0] ring_t;
  typedef logic signed [SourceBits-1:0] source_t;
  // A common operand of a multiplier's short sides, see isopod_multiplier_54.
  typedef struct packed {
    logic taken;
    logic signed [33:0] word;
  } short_operand_t;
  typedef logic [PlainBits-1:0] plain_t;
  typedef logic [KeyBits-1:0] key_word_t;
  typedef logic [(Wide ? 6 : 5)-1:0] length_t; // bits of a modulus
  typedef logic [3:0] log_degree_t;
  typedef logic [3:0] prime_index_t;
  typedef logic [19:0] key_index_t; // a word of the key slot
  typedef logic [1:0] factor_buffer_t;
  typedef logic [30:0] difference_t; // difference of decoded coefficients, see isopod_fold

  // Opcodes of a command. Codes not listed are refused with ErrorOpcode.
  typedef enum logic [3:0] {
    OpNone = 4'd0,
    OpEncryptSecret = 4'd1,  // samples in, packed c0 of every prime out
    OpEncryptPublic = 4'd2,  // samples, pk0 and pk1 of every prime in, packed c0 then c1 out
    OpForward = 4'd3,        // n words in, NTT, n residues out
    OpInverse = 4'd4,        // n residues in NTT order in, polynomial out
    OpZeroise = 4'd5,        // clears key slots and every buffer
    OpDecrypt = 4'd6,        // c0 and c1 of every prime in, polynomial c0 + c1 s of every prime out
    OpDecode = 4'd7,         // c0 and c1 of one to three primes in, n/2 slots out as residues
    OpBfvSecret = 4'd8,      // words of the message for every prime in, packed c0 of each out
    OpBfvPublic = 4'd9,      // and pk0 and pk1, packed c0 then c1 out
    OpDraw = 4'd10,          // nothing in, nothing out: a ternary key for the slot
    OpCoefficientsSecret = 4'd11, // words of the message in, rounded coefficients of c0 out
    OpCoefficientsPublic = 4'd12  // and pk0 and pk1 of every prime, c0 then c1 out
  } opcode_e;

  // Form of the samples of a command.
  typedef enum logic [1:0] {
    SampleFixed = 2'd0,   // already round(z * 2^(30-b))
    SampleInteger = 2'd1, // int32
    SampleFloat = 2'd2,   // IEEE binary32
    // round(z * 2^(62-b)) in 64 bits, low half first, with `Precise`; decoded words of 64 bits
    SampleLong = 2'd3
  } sample_e;

  // XOF suites, with the numbers of spec/ckks.md section 2.
  typedef enum logic [1:0] {
    SuiteNone = 2'd0,
    SuiteChacha20 = 2'd1,
    SuiteShake256 = 2'd2
  } suite_e;

  // Domains of spec/ckks.md section 2. The mask sampler itself draws the refill domain (2).
  typedef enum logic [2:0] {
    DomainTag = 3'd0,       // no domain of the specification: blocks for keys of tags
    DomainMask = 3'd1,
    DomainRefill = 3'd2,
    DomainError0 = 3'd3,
    DomainError1 = 3'd4,
    DomainTernary = 3'd5,
    DomainSecret = 3'd6
  } domain_e;

  // These domains are drawn from the mask seed, all others from the noise key.
  function automatic logic is_public(domain_e domain);
    return domain == DomainMask || domain == DomainRefill;
  endfunction

  // Order to the samplers: n values of one domain.
  typedef struct packed {
    domain_e domain;
    prime_index_t index;     // prime number j; mask only
    log_degree_t log_degree;
    residue_t modulus;       // mask only
    length_t modulus_bits;
  } random_job_t;

  // Block number `counter` of a stream. A job needs far fewer than 2^16 blocks. Words of
  // neighbouring jobs differ in `parity`.
  typedef struct packed {
    domain_e domain;
    prime_index_t index;
    logic [15:0] counter;
    logic parity;
  } xof_block_t;

  typedef struct packed {
    logic [XofBits-1:0] data;
    logic refill;            // the block belongs to domain 2
    logic parity;
  } xof_word_t;

  // Two neighbouring small coefficients 2i and 2i+1: errors -21..21 or ternary -1..1.
  typedef struct packed {
    logic signed [5:0] odd;
    logic signed [5:0] even;
  } small_pair_t;

  // A whole operation.
  typedef struct packed {
    opcode_e opcode;
    log_degree_t log_degree;
    logic [4:0] primes;         // 1..16
    suite_e suite;
    sample_e sample;
    logic signed [5:0] log2_bound; // b: |z| <= 2^b; of coefficients the bits that c1 drops
    // f = 30 - log2_scale - b, 0..30, of SampleLong 62 - log2_scale - b, 5..31; when decoding
    // 28 - L, 0..28, with SampleLong 58 - L, 6..29; the bits that coefficients of c0 drop, 0..15
    logic [4:0] shift;
    // Number of slots given, 0..n/2; the others are zero. Or of coefficients of c0 sent; 0: all
    logic [13:0] count;
    logic complex_slots;        // slots are complex, two samples each; encryptions of CKKS only
    logic secret_ntt;           // the secret key is kept as words of -NTT(s), not as ternary s
    logic framed;               // whole parts leave, with header and tag; encryptions only
  } command_t;

  function automatic logic is_bfv(opcode_e opcode);
    return opcode inside {OpBfvSecret, OpBfvPublic};
  endfunction

  function automatic logic is_coefficients(opcode_e opcode);
    return opcode inside {OpCoefficientsSecret, OpCoefficientsPublic};
  endfunction

  // Encryptions by the kind of their key.
  function automatic logic by_secret_key(opcode_e opcode);
    return opcode inside {OpEncryptSecret, OpBfvSecret, OpCoefficientsSecret};
  endfunction

  function automatic logic by_public_key(opcode_e opcode);
    return opcode inside {OpEncryptPublic, OpBfvPublic, OpCoefficientsPublic};
  endfunction

  // The first error stays until the clear pulse.
  typedef enum logic [3:0] {
    ErrorNone = 4'd0,
    ErrorOpcode = 4'd1,     // unknown opcode
    ErrorDegree = 4'd2,     // log2 of the degree not in 10..MaxLogN
    ErrorPrimes = 4'd3,     // number of primes not in 1..16, or the key slot does not hold them;
                            // more than 2^15 words of a BFV message; more than 3 to decode
    ErrorModulus = 4'd4,    // a modulus is not one that isopod_descriptor admits
    ErrorOverflow = 4'd5,   // a sample or slot beyond 2^b, a residue not below its modulus
    ErrorKey = 4'd6,        // the slot holds no key for this command; a word without a place
    ErrorOrder = 4'd7,      // a command or key write while busy
    ErrorBus = 4'd8,        // reported by the system side
    ErrorAbort = 4'd9,      // the abort pulse
    ErrorFormat = 4'd10     // suite, sample form, shift or count out of range; complex slots
                            // of a build without `Complex`
  } error_e;

  // ---- ports of the sequencer ----

  // Pulses from the system side.
  typedef struct packed {
    logic clear;            // forgets the error
    logic stop;             // ends the operation with ErrorAbort
    logic bus_error;        // ends the operation with ErrorBus
  } control_t;

  // Degree of a key, and number of primes of its set.
  typedef struct packed {
    log_degree_t log_degree;
    logic [4:0] primes;
  } key_shape_t;

  // Writes to descriptors and key slot.
  typedef struct packed {
    logic prime_valid;
    prime_index_t prime;    // prime whose descriptor is written
    logic key_valid;
    key_index_t key_index;  // word of the key; of a ternary key, a pair
    log_degree_t key_log_degree; // of a ternary key
    logic key_beyond;       // the key word has no place
    logic key_forget;       // the slot is without a key from now on
    logic key_seal;         // the digest of all words was right
    key_shape_t key_shape;  // with key_seal
  } writes_t;

  // A key that is drawn.
  typedef struct packed {
    logic begins;
    logic pair;             // its next two coefficients are written
    logic ends;
    key_shape_t shape;
  } draw_t;

  typedef struct packed {
    error_e code;
    prime_index_t prime;    // with ErrorModulus
  } error_t;

  typedef struct packed {
    logic busy;
    logic done;             // pulse: the last beat was taken, or the operation ended in an error
    error_t error;
  } status_t;

  // Constants of one prime, in Montgomery form.
  typedef struct packed {
    residue_t modulus;
    length_t bits;          // length of the modulus
    residue_t one;
    residue_t scale;        // 1/n, for an inverse; 1/t of a BFV encryption
  } prime_constants_t;

  typedef struct packed {
    prime_index_t prime;
    logic [4:0] word;
  } descriptor_address_t;

  // Constants of a modulus for the Montgomery rounds; zero where the width does not use them.
  parameter int unsigned HighBits = 30 - 11 + 2;

  typedef struct packed {
    logic signed [HighBits-1:0] minus_high_11; // narrow: -(q >> 11)
    logic signed [HighBits-1:0] minus_high_10;
    logic [ExcessBits-1:0] excess;             // wide: c of q = 2^bits - c 2^13 + 1
    length_t bits;
  } reduction_t;

  function automatic reduction_t reduction_of(residue_t modulus, length_t bits);
    if (!Wide) begin
      return '{minus_high_11: -HighBits'(modulus >> 11), minus_high_10: -HighBits'(modulus >> 10),
               default: '0};
    end
    return '{excess: -ExcessBits'(modulus >> MontgomeryWord), bits: bits, default: '0};
  endfunction

  // Start pulses of the parts.
  typedef struct packed {
    logic encode;
    logic words;            // loads words for a transform on its own
    logic sums;             // loads c0 + c1 s, or the message of a BFV encryption
    logic decode;           // turns a polynomial into slots
    logic sweep;            // clears key slot and noise memories
    logic draw;             // draws a ternary key
    logic generator;        // builds a twiddle table
    logic transform;
    logic reduce;           // with transform: it only reduces the upper words of a message
  } starts_t;

  // State of the parts.
  typedef struct packed {
    logic encode_busy;
    logic encode_overflow;
    logic slots_ready;      // decoded, to be read in the order of the slots
    logic sweep_busy;
    logic generator_busy;
    logic transform_busy;
    logic result_valid;
    logic result_final;
    logic multiplying;      // a product is at the multiplier
    logic unsupported_suite;
    logic [1:0] small_done; // small polynomials that have come in
    logic key_pair;         // two coefficients of a drawn key are written
    logic wiped;            // the words that made the pairs are erased
    logic polynomial_out;   // the last beat of a polynomial was taken
    logic frame_busy;       // the tag of a part, or beats, have not left yet
    logic frames_exhausted; // no further frame has a key
  } reports_t;

  // One beat of packed output to the system: 64 bits, first byte in bits 7:0.
  typedef struct packed {
    logic [63:0] data;
    logic last;             // last beat of this polynomial
  } packed_beat_t;

  // Products of the encode, see isopod_encode_datapath.
  typedef enum logic [2:0] {
    BeatNone = 3'd0,
    BeatB = 3'd1,
    BeatC = 3'd2,
    BeatD = 3'd3,
    BeatQ = 3'd4,
    BeatV = 3'd5,
    BeatW = 3'd6
  } beat_e;

  // Words that a forward transform reads in its first stage.
  typedef enum logic [2:0] {
    SourceWork = 3'd0,    // the work banks
    SourceMessage = 3'd1, // m + e0; as a field: e0
    SourceError1 = 3'd2,
    SourceTernary = 3'd3, // u
    SourceSecret = 3'd4   // -s in Montgomery form; as a field: s
  } source_e;

  typedef struct packed {
    source_e source;
    logic inverse;
    logic to_factor;        // the result goes to a factor buffer, not to the result buffer
    factor_buffer_t buffer; // the factor buffer
    logic reduce;           // of a precise message: only the upper words, times 1, to the banks
    logic reduced;          // and then: the upper words come from there
  } transform_order_t;

  // Form in which words leave a butterfly, see isopod_butterfly.
  typedef struct packed {
    logic with_x;
    logic with_product;
    logic minus;            // the product is subtracted
  } butterfly_leave_t;

  // Operands of a product, see isopod_product.
  typedef enum logic [3:0] {
    ProductKey = 4'd0,
    ProductMask = 4'd1,
    ProductPublic = 4'd2,
    ProductCopy = 4'd3,
    ProductScale = 4'd4,
    ProductSumKey = 4'd5,
    ProductSumFactor = 4'd6,
    ProductSlots = 4'd7,
    ProductLanesKey = 4'd8,
    ProductLanesMask = 4'd9,
    ProductLanesPublic = 4'd10,
    ProductCoefficients = 4'd11
  } product_e;

  // Bits that a rounded coefficient may lose.
  parameter int unsigned DroppedBits = 4;
  typedef logic [DroppedBits-1:0] dropped_t;

  // A word that is added to a product, and the use of their sum.
  typedef struct packed {
    ring_t word;
    logic sent;             // the sum is sent
    logic blank;            // zero is sent in its place
    logic last;             // last word of its polynomial
  } addend_t;

  // A word of a part's header.
  typedef struct packed {
    word_t data;            // zero behind its bytes
    logic [2:0] bytes;      // 1..4
    logic last;
  } header_piece_t;

  // Parts of a frame.
  typedef struct packed {
    logic [4:0] parts;
    logic pairs;            // each has c0 and c1
    logic [17:0] cut;       // bytes of c0 that are sent, the rest is dropped; 0: all
  } frame_shape_t;

  // Folded coefficients in words of 64 bits, see isopod_fold.
  parameter int unsigned LongFoldBits = 62;
  typedef logic [1:0][LongFoldBits-1:0] long_folded_t; // (imaginary, real)

  // Points of an encode of 64-bit words, which isopod_encode writes: those of a group, one a cycle.
  // Of a decoding it writes four times a point, but slots as they are, and asks isopod_fold for the
  // words of a pair.
  typedef struct packed {
    logic busy;
    logic [3:0] pass;       // log2 of the stride between points
    logic radix_2;
    logic restart;          // between passes
    logic soon;             // the first point of a group comes in the fourth cycle after this
    logic [1:0][63:0] point; // (imaginary, real), zero between passes
    logic four;             // points times four
    logic pre;              // pre-twist: points brv(k), then brv(M - k) of pair k
    logic complement;       // the real part of this point is a complement
    logic decoded;          // pulse: all slots are in the work banks
    logic fold;             // a slot of a pair is to be folded
    logic [1:0] fold_slot;
    logic [MaxLogDegree-2:0] fold_pair;
  } long_points_t;

  // Work of isopod_poly1305_sum on five limbs.
  typedef struct packed {
    logic active;
    logic add_limb;
    logic add_block;
    logic carries;          // into the next limb; otherwise limbs may grow
    logic compare;          // carries of the sum with 5, which is not kept
  } tag_sum_t;

  // Adds two words and a carry by one subtraction. The first word may have logic in front, while
  // the second enters the carry cells as it is. In an addition mappers do not keep them apart.
  function automatic word_t sum_of(word_t computed, word_t plain, logic carry);
    return WordBits'(({plain, 1'b0} - ~{computed, carry}) >> 1);
  endfunction

  function automatic ring_t ring_sum(ring_t computed, ring_t plain, logic carry);
    return RingBits'(({plain, 1'b0} - ~{computed, carry}) >> 1);
  endfunction

  function automatic logic [FactorABits-1:0] factor_sum(logic [FactorABits-1:0] computed,
      logic [FactorABits-1:0] plain, logic carry);
    return FactorABits'(({plain, 1'b0} - ~{computed, carry}) >> 1);
  endfunction

  function automatic logic [WordBits+1:0] sum34_of(logic [WordBits+1:0] computed,
      logic [WordBits+1:0] plain, logic carry);
    return (WordBits + 2)'(({plain, 1'b0} - ~{computed, carry}) >> 1);
  endfunction

  // Class of an index bit in the bank mapping of 2^bank_bits banks. Bank bit j is the exclusive or
  // of the index bits of class j. So bit 0 and any bank_bits - 1 neighbouring bits above it reach
  // every bank once.
  function automatic int unsigned bit_class(int unsigned index_bit, int unsigned bank_bits);
    if (index_bit == 0 || bank_bits == 1) return 0;
    return 1 + ((index_bit - 1) % (bank_bits - 1));
  endfunction

endpackage

//! Structures of the C headers, members in their order. `build.rs` reads the list too; `tests/layout.rs` compares.

c_structs! {
    struct isopod_prime {
        modulus: u32,
        root: u32,
        negative_inverse: u32,
        barrett: u32,
        montgomery_square: u32,
        bits: u8,
    }

    struct isopod_prime64 {
        modulus: u64,
        root: u64,
        inverse: u64,
        barrett: u64,
        montgomery_square: u64,
        bits: u8,
    }

    struct isopod_params {
        name: *const c_char,
        set_id: [u8; 8],
        log2_ring_degree: u8,
        prime_count: u8,
        label: u8,
        key_switching: u8,
        log2_scale_min: u8,
        log2_scale_default: u8,
        log2_scale_max: u8,
        special_prime: u64,
        primes: *const isopod_prime,
        primes64: *const isopod_prime64,
        plain: *const isopod_prime,
    }

    struct isopod_tables {
        twiddles: *const *const i32,
        cosine32: *const i32,
        cosine64: *const i64,
        backend: *const *const i32,
        coarse: *const *const i32,
        twiddles64: *const *const i64,
        backend64: *const *const i64,
        plain: *const i32,
        set_id: [u8; ISOPOD_SET_ID_BYTES],
    }

    struct isopod_entropy {
        fill: Option<unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> c_int>,
        state: *mut c_void,
        fingerprint: [u8; 8],
        poisoned: u8,
    }

    struct isopod_sender {
        device: u64,
        epoch: u32,
        sequence: u64,
        key: *const u8,
        lock: Option<unsafe extern "C" fn(*mut c_void, u8)>,
        state: *mut c_void,
    }

    struct isopod_receipt {
        sequence: u64,
        epoch: u32,
        outcome: u8,
    }

    struct isopod_workspace {
        memory: *mut c_void,
        bytes: usize,
    }

    struct isopod_encryptor {
        workspace: isopod_workspace,
        entropy: *mut isopod_entropy,
        sender: *mut isopod_sender,
    }

    struct isopod_frame_name {
        device: u64,
        sequence: u64,
        epoch: u32,
    }

    struct isopod_key {
        params: *const isopod_params,
        method: *const c_void,
        blob: *const u32,
        kind: c_int,
    }

    struct isopod_key_loader {
        load: Option<unsafe extern "C" fn(*mut c_void, u8, *mut c_void, usize) -> c_int>,
        state: *mut c_void,
        blob: *mut u32,
        bytes: usize,
    }

    struct isopod_split_key {
        key: isopod_key,
        loader: isopod_key_loader,
        header: [u8; 40],
    }

    struct isopod_values {
        data: *const c_void,
        count: u32,
        r#type: c_int,
    }

    struct isopod_encryption_config {
        params: *const isopod_params,
        tables: *const isopod_tables,
        suite: *const isopod_suite,
        key: *const isopod_key,
        encoder: *const isopod_encoder,
        chunks: u8,
        log2_scale: u8,
        log2_bound: i8,
        accept_label: u8,
        level: u8,
        layout: u8,
        hedge_without_values: u8,
        fault_check: *const isopod_fault_check,
        out_of_range: *const isopod_range_rule,
        bound: u32,
        stride: u32,
        buckets: u32,
        packing: *const u8,
        rounding: *const isopod_rounding,
        linear_key: *const isopod_linear_key,
    }

    struct isopod_linear_secrets {
        group: [u8; 32],
        device: [u8; 32],
        period: u32,
    }

    struct isopod_linear_pad_key {
        next: *const isopod_linear_pad_key,
        key: [u8; 32],
    }

    struct isopod_linear_key {
        method: *const isopod_linear_method,
        period: u32,
        point: [u32; 2],
        pads: isopod_linear_pad_key,
    }

    struct isopod_rounding {
        method: *const isopod_rounded_method,
        columns: u32,
        run: u32,
        dropped: [u8; 2],
    }

    struct isopod_value_source {
        values: isopod_values,
        read: Option<unsafe extern "C" fn(*mut c_void, u32, *mut c_void)>,
        state: *mut c_void,
        log2_unit: i8,
        read_many: Option<unsafe extern "C" fn(*mut c_void, u32, u32, *mut c_void)>,
    }

    struct isopod_moments_input {
        readings: isopod_value_source,
        columns: u32,
        kind: c_int,
        memory: *mut i32,
    }

    struct isopod_moments {
        input: isopod_moments_input,
        most: u32,
        limit: u32,
        gap: u32,
        row: u32,
        next: u32,
        line: u32,
        left: u32,
        from: *const i32,
    }

    struct isopod_rounded {
        encryption: isopod_encryption,
        source: isopod_value_source,
        bytes: u32,
        place: u32,
        refused: u32,
    }

    struct isopod_packet_config {
        params: *const isopod_params,
        key: *const isopod_key,
        scheme: *const isopod_packet_scheme,
        method: *const isopod_packet_method,
        tables: *const isopod_tables,
        packing: *const u8,
        bound: u32,
        columns: u16,
        rows: u16,
        stride: u16,
        run: u16,
        buckets: u16,
        log2_scale: u8,
        log2_bound: i8,
        log2_unit: i8,
        dropped: u8,
        accept_label: u8,
        number: u8,
        naming: u8,
        device_bytes: u8,
        tag_bytes: u8,
    }

    struct isopod_packet_context {
        device: u64,
        config: *const isopod_packet_config,
        key: [u8; ISOPOD_CONTEXT_KEY_BYTES],
        bytes: u16,
    }

    struct isopod_packet_counter {
        next: Option<unsafe extern "C" fn(*const isopod_flash, u32, *mut u64) -> c_int>,
        flash: *const isopod_flash,
        step: u16,
        end: u64,
    }

    struct isopod_packet_encryptor {
        workspace: isopod_workspace,
        entropy: *mut isopod_entropy,
        sender: *mut isopod_sender,
        counter: *mut isopod_packet_counter,
    }

    struct isopod_tfhe_packet_config {
        params: *const isopod_tfhe_params,
        key: *const isopod_tfhe_key,
        schema: *const isopod_tfhe_values,
        packing: *const u8,
        columns: u16,
        accept_label: u8,
        number: u8,
        naming: u8,
        device_bytes: u8,
        tag_bytes: u8,
    }

    struct isopod_tfhe_packet_context {
        device: u64,
        config: *const isopod_tfhe_packet_config,
        key: [u8; ISOPOD_CONTEXT_KEY_BYTES],
        coefficients: u16,
        bytes: u16,
    }

    struct isopod_pad_config {
        key_id: *const u8,
        packing: *const u8,
        bound: u32,
        columns: u16,
        width: u8,
        ratchet: u8,
        number: u8,
        device_bytes: u8,
        tag_bytes: u8,
    }

    struct isopod_pad_keys {
        key: [u8; ISOPOD_CONTEXT_KEY_BYTES],
        root: [u8; ISOPOD_PAD_KEY_BYTES],
    }

    struct isopod_pad_context {
        device: u64,
        config: *const isopod_pad_config,
        keys: *const isopod_pad_keys,
        node: [u8; ISOPOD_PAD_KEY_BYTES],
        sixteen: u32,
        sequence: u32,
        epoch: u32,
        bytes: u16,
    }

    struct isopod_pad_encryptor {
        sender: *mut isopod_sender,
        counter: *mut isopod_packet_counter,
    }

    struct isopod_piece_stream {
        piece: *const u8,
        pending: u32,
        state: u8,
    }

    struct isopod_encryption {
        config: *const isopod_encryption_config,
        encryptor: *const isopod_encryptor,
        scheme: *const c_void,
        stream: isopod_piece_stream,
        refill: u32,
        count: u32,
        prime: u8,
        chunk: u8,
        component: u8,
        is_in_engine: u8,
        is_framed: u8,
        name: isopod_frame_name,
        nonce: [u8; ISOPOD_NONCE_BYTES],
        mask_seed: [u8; ISOPOD_MASK_SEED_MAXIMUM],
        linear: [u8; 2 * ISOPOD_LINEAR_TAG_BYTES],
        clamped: u32,
        refused: u32,
    }

    struct isopod_link {
        memory: *mut u8,
        waiting: u32,
        arrived: u32,
        packet_bytes: u16,
        transfer: u16,
        first: u16,
        next: u16,
        lengths: [u16; 32],
        slots: u8,
        has_ended: u8,
    }

    struct isopod_serial {
        packet: *mut u8,
        capacity: usize,
        length: usize,
        left: u8,
        code: u8,
        is_broken: u8,
    }

    struct isopod_key_slots {
        start: *const c_void,
        slot_bytes: usize,
        count: u32,
    }

    struct isopod_flash {
        read: Option<unsafe extern "C" fn(*mut c_void, u8, u32, *mut u8, usize) -> c_int>,
        write: Option<unsafe extern "C" fn(*mut c_void, u8, u32, *const u8, usize) -> c_int>,
        erase: Option<unsafe extern "C" fn(*mut c_void, u8) -> c_int>,
        state: *mut c_void,
        page_bytes: u32,
        write_bytes: u16,
    }

    struct isopod_health {
        sample: Option<unsafe extern "C" fn(*mut c_void, *mut u8) -> c_int>,
        state: *mut c_void,
        entropy_bits: u8,
        is_started: u8,
        has_failed: u8,
        last: u8,
        first: u8,
        repeats: u16,
        matches: u16,
        place: u16,
    }

    struct isopod_tag {
        accumulator: [u32; 5],
        multiplier: [u32; 4],
        addend: [u32; 4],
        authenticated: u32,
        block: [u8; 16],
    }

    struct isopod_frame {
        source: *const c_void,
        encryption: *mut c_void,
        nonce: *const u8,
        key: *const u8,
        tag: isopod_tag,
        left: u32,
        position: u8,
        part: u8,
        state: u8,
    }

    struct isopod_piece {
        length: usize,
        part: u8,
        part_complete: u8,
    }

    struct isopod_decrypt_config {
        params: *const isopod_params,
        tables: *const isopod_tables,
        key: *const isopod_key,
        decoder: *const isopod_decoder,
        log2_bound: i8,
        layout: u8,
        verifier: *const isopod_linear_verifier,
    }

    struct isopod_linear_verifier {
        method: *const isopod_linear_proof,
        period: u32,
        master: [u8; 32],
        group: [u8; 32],
    }

    struct isopod_claim {
        scale: u64,
        first: u32,
        rows: u32,
        columns: u32,
        stride: u32,
        primes: u8,
    }

    struct isopod_decoded {
        data: *mut c_void,
        capacity: u32,
        r#type: c_int,
    }

    struct isopod_decrypt {
        config: *const isopod_decrypt_config,
        workspace: *const isopod_workspace,
        claim: isopod_claim,
        position: u32,
        over: u32,
        prime: u8,
        component: u8,
        held: u8,
        state: u8,
        owner: [u8; ISOPOD_WORKSPACE_OWNER_BYTES],
        group: [u32; 60],
    }

    struct isopod_result {
        params: *const isopod_params,
        key_id: *const u8,
        run: *const u8,
        challenge: *const u8,
        request: *const u8,
        job: *const u8,
        origin: *const u8,
        manifest: *const u8,
        packing: *const u8,
        c0: *const u8,
        c1: *const u8,
        linear_tag: *const u8,
        claim: isopod_claim,
        sequence: u64,
        frames: u64,
        bound: u64,
        error: u64,
        index: u32,
        total: u32,
        manifest_bytes: u32,
        c0_bytes: u32,
        c1_bytes: u32,
        job_bytes: u8,
        layout: u8,
        dropped: [u8; 2],
    }

    struct isopod_holder {
        params: *const isopod_params,
        tables: *const isopod_tables,
        blob: *const u32,
    }

    struct isopod_answering {
        numbers: *const u8,
        count: u8,
    }

    struct isopod_holder_board {
        entropy: *mut isopod_entropy,
        count: *const isopod_flash,
        write: Option<unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int>,
        state: *mut c_void,
    }

    struct isopod_key_pair_config {
        params: *const isopod_params,
        tables: *const isopod_tables,
        chunks: u8,
    }

    struct isopod_key_pair {
        config: *const isopod_key_pair_config,
        workspace: *const isopod_workspace,
        piece: *const u8,
        pending: u32,
        offset: u32,
        refill: u32,
        kind: c_int,
        prime: u8,
        chunk: u8,
        step: u8,
        state: u8,
        mask_seed: [u8; 32],
    }

    struct isopod_key_piece {
        offset: u32,
        length: u32,
    }

    struct isopod_tfhe_params {
        name: *const c_char,
        set_id: [u8; 8],
        log2_ring_degree: u8,
        log2_modulus: u8,
        secret: u8,
        tuniform: u8,
        message_bits: u8,
        log2_delta: u8,
        centred: u8,
        label: u8,
        prime: *const isopod_prime,
    }

    struct isopod_tfhe_tables {
        set_id: [u8; ISOPOD_SET_ID_BYTES],
        twiddles: *const i32,
    }

    struct isopod_tfhe_key {
        params: *const isopod_tfhe_params,
        method: *const c_void,
        blob: *const u32,
        prepared: *const c_void,
        kind: c_int,
    }

    struct isopod_tfhe_run {
        data: *const c_void,
        count: u16,
        r#type: u8,
    }

    struct isopod_tfhe_values {
        runs: *const isopod_tfhe_run,
        count: u8,
    }

    struct isopod_tfhe_config {
        params: *const isopod_tfhe_params,
        tables: *const isopod_tfhe_tables,
        suite: *const isopod_tfhe_suite,
        key: *const isopod_tfhe_key,
        width: u8,
        accept_label: u8,
        hedge_without_values: u8,
        columns: u16,
        packing: *const u8,
    }

    struct isopod_tfhe {
        config: *const isopod_tfhe_config,
        encryptor: *const isopod_encryptor,
        stream: isopod_piece_stream,
        coefficients: u16,
        component: u8,
        counts: [u16; ISOPOD_TFHE_RUNS],
        types: [u8; ISOPOD_TFHE_RUNS],
        runs: u8,
        is_framed: u8,
        name: isopod_frame_name,
        nonce: [u8; ISOPOD_NONCE_BYTES],
    }

    struct isopod_tfhe_keygen {
        params: *const isopod_tfhe_params,
        tables: *const isopod_tfhe_tables,
        mask_seed: *const u8,
        noise_key: *const u8,
        secret: *const u32,
        workspace: *mut c_void,
    }
}

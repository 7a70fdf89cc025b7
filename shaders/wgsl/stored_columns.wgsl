// x W for few rows (ROWS) of x and a matrix W [k, n] of numbers with BITS bits, which is read as it is stored. A thread
// reads one word of a row, or with WIDE a texel, of `chunk` rows, and AHEAD of them at once. LANES threads share the same
// columns, and a workgroup has ACROSS words or texels of each row. SCALED: the rows of W belong to groups, with a zero
// point and a scale for each column. If x is int32, a thread's sums of at most 1024 bytes are exact in f32. The lines
// for the rows of x, and for the words that are read at once, are unrolled, so that sums stay in registers. Rows at the
// end of a chunk or of a group are read one by one.
const BITS = $BITS;
const AHEAD = $AHEAD;
const PARTS = max(1, LANES * ACROSS / 2);

var<workgroup> parts: array<array<vec4<T>, PARTS>, STORED_FOURS>;

fn store_total(at: i32, total: ptr<function, array<vec4<T>, STORED_FOURS>>) {
    for (var f = 0; f < STORED_FOURS; f++) { store(at + f, (*total)[f]); }
}

// Adds the sums of all other lanes to the sums of lane 0.
fn add_lanes(lane: i32, thread: i32, sums: ptr<function, array<vec4<T>, STORED_FOURS>>) {
    for (var half = LANES / 2; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane >= half && lane < 2 * half) {
            for (var f = 0; f < STORED_FOURS; f++) { parts[f][thread - half * ACROSS] = (*sums)[f]; }
        }
        workgroupBarrier();
        if (lane < half) {
            for (var f = 0; f < STORED_FOURS; f++) { (*sums)[f] += parts[f][thread]; }
        }
    }
}

@compute @workgroup_size(LANES * ACROSS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = i32(thread) / ACROSS;
    let across = i32(thread) % ACROSS;
    let place = (i32(id.x) + i32(id.y) * p.across) * ACROSS + across;
    let at = min(place, p.pitch - 1);
    let column = 4 * STORED_FOURS * at;
    let begin = lane * p.chunk;
    let end = min(begin + p.chunk, p.k);
    $SUMS
#if SCALED
    var group = group_at(min(begin, p.k - 1));
#endif
    for (var first = begin; first < end;) {
#if SCALED
        let next = group_at(first);
        if (next != group) {
            $END_GROUP
            group = next;
        }
#endif
        if ($IS_WHOLE) {
            $WORDS
            $PRODUCTS
            first += AHEAD;
        } else {
            let word0 = stored_words(first * p.pitch + at);
            $PRODUCT
            first++;
        }
    }
#if SCALED
    $END_GROUP
#endif
    var total: array<vec4<T>, STORED_FOURS>;
    $RESULTS
}

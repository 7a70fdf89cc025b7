// x W for few rows (ROWS) of x and the transpose [n, k] of W, with numbers of BITS bits, which is read as it is stored.
// LANES threads share a column of the result, and a workgroup has ACROSS columns. A thread reads one word, or with WIDE
// a texel, AHEAD of them at once. SCALED: the numbers of a column belong to groups along k, each with a zero point and a
// scale. If x is int32, a thread's sums of at most 1024 bytes are exact in f32.
const ROWS = $ROWS;
const BITS = $BITS;
const AHEAD = $AHEAD;

var<workgroup> parts: array<array<T, LANES>, ACROSS>;

fn total(lane: i32, across: i32, sum: T) -> T {
    workgroupBarrier();
    parts[across][lane] = sum;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { parts[across][lane] += parts[across][lane + half]; }
        workgroupBarrier();
    }
    return parts[across][0];
}

#if SCALED
fn scaled(numbers: vec4<f32>, k: i32, column: i32) -> vec4<f32> {
    let at = group_texel(k >> 2u) * p.n + column;
    if (all(at == at.xxxx)) { return (numbers - zero_of(at.x)) * scale_at(at.x); }
    let zero = vec4<f32>(zero_of(at.x), zero_of(at.y), zero_of(at.z), zero_of(at.w));
    return (numbers - zero) * vec4<f32>(scale_at(at.x), scale_at(at.y), scale_at(at.z), scale_at(at.w));
}
#endif

@compute @workgroup_size(LANES * ACROSS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = i32(thread) % LANES;
    let across = i32(thread) / LANES;
    let place = (i32(id.x) + i32(id.y) * p.across) * ACROSS + across;
    let column = min(place, p.n - 1);
    var sums: array<f32, ROWS>;
    for (var first = lane; first < p.pitch; first += LANES * AHEAD) {
        var words: array<StoredWords, AHEAD>;
        for (var j = 0; j < AHEAD; j++) { words[j] = stored_words(column * p.pitch + min(first + j * LANES, p.pitch - 1)); }
        for (var j = 0; j < AHEAD; j++) {
            let i = first + j * LANES;
            if (i >= p.pitch) { break; }
            for (var f = 0; f < STORED_FOURS; f++) {
                let k = 4 * (STORED_FOURS * i + f);
#if SCALED
                let numbers = scaled(stored_four(words[j], f), k, column);
#else
                let numbers = stored_four(words[j], f);
#endif
                for (var r = 0; r < ROWS; r++) { sums[r] += dot(numbers, vec4<f32>(x_texel((r * p.k + k) >> 2u))); }
            }
        }
    }
    for (var r = 0; r < ROWS; r++) {
        let sum = total(lane, across, T(sums[r]));
        if (lane == 0 && place < p.n) { store(r * p.n + place, sum); }
    }
}

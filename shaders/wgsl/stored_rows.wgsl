// x W for few rows (ROWS) of x and the transpose [n, k] of W, with numbers of BITS bits, which is read as it is stored.
// LANES threads share a column of the result, and a workgroup has ACROSS columns. SCALED: the numbers of a column
// belong to groups along k, each with a zero point and a scale.
const ROWS = $ROWS;
const BITS = $BITS;
const FOURS = 8 / BITS;

var<workgroup> parts: array<array<f32, LANES>, ACROSS>;

fn total(lane: i32, across: i32, sum: f32) -> f32 {
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
    for (var i = lane; i < p.words; i += LANES) {
        let word = w_at(column * p.words + i);
        for (var f = 0; f < FOURS; f++) {
            let k = 4 * (FOURS * i + f);
#if SCALED
            let numbers = scaled(numbers_of(word, 4 * f), k, column);
#else
            let numbers = numbers_of(word, 4 * f);
#endif
            for (var r = 0; r < ROWS; r++) { sums[r] += dot(numbers, x_texel((r * p.k + k) >> 2u)); }
        }
    }
    for (var r = 0; r < ROWS; r++) {
        let sum = total(lane, across, sums[r]);
        if (lane == 0 && place < p.n) { store(r * p.n + place, sum); }
    }
}

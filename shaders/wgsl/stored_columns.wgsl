// x W for few rows (ROWS) of x and a matrix W [k, n] of numbers with BITS bits, which is read as it is stored, in words
// of several columns. LANES threads share the columns of a word; each adds `chunk` rows of W. A workgroup has ACROSS
// words. SCALED: the rows of W belong to groups, with a zero point and a scale for each column.
const ROWS = $ROWS;
const BITS = $BITS;
const FOURS = 8 / BITS;
const AHEAD = 4;

alias Sums = array<array<vec4<f32>, FOURS>, ROWS>;

var<workgroup> parts: array<array<vec4<f32>, ACROSS>, LANES>;

fn total(lane: i32, across: i32, sum: vec4<f32>) -> vec4<f32> {
    workgroupBarrier();
    parts[lane][across] = sum;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { parts[lane][across] += parts[lane + half][across]; }
        workgroupBarrier();
    }
    return parts[0][across];
}

#if SCALED
// Adds the sums of a group's rows, and begins the next group. `weights` are the sums of x.
fn end_group(
    sums: ptr<function, Sums>,
    own: ptr<function, Sums>,
    weights: ptr<function, array<f32, ROWS>>,
    first: i32,
) {
    for (var f = 0; f < FOURS; f++) {
        let at = first + 4 * f;
        let zero = vec4<f32>(zero_of(at), zero_of(at + 1), zero_of(at + 2), zero_of(at + 3));
        let scale = scale_texel(at >> 2u);
        for (var r = 0; r < ROWS; r++) {
            (*sums)[r][f] += scale * ((*own)[r][f] - (*weights)[r] * zero);
            (*own)[r][f] = vec4<f32>();
        }
    }
    for (var r = 0; r < ROWS; r++) { (*weights)[r] = 0.0; }
}
#endif

@compute @workgroup_size(LANES * ACROSS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = i32(thread) / ACROSS;
    let across = i32(thread) % ACROSS;
    let place = (i32(id.x) + i32(id.y) * p.across) * ACROSS + across;
    let word = min(place, p.words - 1);
    let begin = lane * p.chunk;
    let end = min(begin + p.chunk, p.k);
    var sums: Sums;
#if SCALED
    var own: Sums;
    var weights: array<f32, ROWS>;
    var group = group_at(min(begin, p.k - 1));
#endif
    for (var first = begin; first < end; first += AHEAD) {
        var words: array<i32, AHEAD>;
        for (var j = 0; j < AHEAD; j++) { words[j] = w_at(min(first + j, end - 1) * p.words + word); }
        for (var j = 0; j < AHEAD; j++) {
            let k = min(first + j, end - 1);
            let counts = select(0.0, 1.0, first + j < end);
#if SCALED
            let next = group_at(k);
            if (next != group) {
                end_group(&sums, &own, &weights, group * p.n + 4 * FOURS * word);
                group = next;
            }
            for (var r = 0; r < ROWS; r++) {
                let x = counts * x_at(r * p.k + k);
                weights[r] += x;
                for (var f = 0; f < FOURS; f++) { own[r][f] = fma(vec4<f32>(x), numbers_of(words[j], 4 * f), own[r][f]); }
            }
#else
            for (var r = 0; r < ROWS; r++) {
                let x = counts * x_at(r * p.k + k);
                for (var f = 0; f < FOURS; f++) { sums[r][f] = fma(vec4<f32>(x), numbers_of(words[j], 4 * f), sums[r][f]); }
            }
#endif
        }
    }
#if SCALED
    end_group(&sums, &own, &weights, group * p.n + 4 * FOURS * word);
#endif
    for (var r = 0; r < ROWS; r++) {
        for (var f = 0; f < FOURS; f++) {
            let sum = total(lane, across, sums[r][f]);
            if (lane == 0 && place < p.words) { store(((r * p.n) >> 2u) + FOURS * place + f, sum); }
        }
    }
}

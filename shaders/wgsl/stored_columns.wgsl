// x W for few rows (ROWS) of x and a matrix W [k, n] of numbers with BITS bits, which is read as it is stored. A thread
// reads one word of a row, or with WIDE a texel, of `chunk` rows, and AHEAD of them at once. LANES threads share the same
// columns, and a workgroup has ACROSS words or texels of each row. SCALED: the rows of W belong to groups, with a zero
// point and a scale for each column. If x is int32, a thread's sums of at most 1024 bytes are exact in f32.
const ROWS = $ROWS;
const BITS = $BITS;
const AHEAD = $AHEAD;
const PARTS = max(1, LANES * ACROSS / 2);

#if WIDE
alias Words = vec4<i32>;
const FOURS = 32 / BITS;

fn words_at(i: i32) -> Words { return w_texel(i); }

fn four_of(words: Words, f: i32) -> vec4<f32> { return numbers_of(words[f * BITS / 8], 4 * f % (32 / BITS)); }
#else
alias Words = i32;
const FOURS = 8 / BITS;

fn words_at(i: i32) -> Words { return w_at(i); }

fn four_of(words: Words, f: i32) -> vec4<f32> { return numbers_of(words, 4 * f); }
#endif

alias Sums = array<array<vec4<f32>, FOURS>, ROWS>;

var<workgroup> parts: array<array<vec4<T>, PARTS>, FOURS>;

// Adds the sums of all lanes to those of lane 0.
fn add_lanes(lane: i32, thread: i32, sums: ptr<function, array<vec4<T>, FOURS>>) {
    for (var half = LANES / 2; half > 0; half /= 2) {
        workgroupBarrier();
        if (lane >= half && lane < 2 * half) {
            for (var f = 0; f < FOURS; f++) { parts[f][thread - half * ACROSS] = (*sums)[f]; }
        }
        workgroupBarrier();
        if (lane < half) {
            for (var f = 0; f < FOURS; f++) { (*sums)[f] += parts[f][thread]; }
        }
    }
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
        let at = (first >> 2u) + f;
        let zero = zeros_of_texel(at);
        let scale = scale_texel(at);
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
    let at = min(place, p.pitch - 1);
    let begin = lane * p.chunk;
    let end = min(begin + p.chunk, p.k);
    var sums: Sums;
#if SCALED
    var own: Sums;
    var weights: array<f32, ROWS>;
    var group = group_at(min(begin, p.k - 1));
#endif
    for (var first = begin; first < end; first += AHEAD) {
        var words: array<Words, AHEAD>;
        for (var j = 0; j < AHEAD; j++) { words[j] = words_at(min(first + j, end - 1) * p.pitch + at); }
        for (var j = 0; j < AHEAD; j++) {
            let k = min(first + j, end - 1);
            let counts = select(0.0, 1.0, first + j < end);
#if SCALED
            let next = group_at(k);
            if (next != group) {
                end_group(&sums, &own, &weights, group * p.n + 4 * FOURS * at);
                group = next;
            }
#endif
            var x: array<f32, ROWS>;
            for (var r = 0; r < ROWS; r++) {
                x[r] = counts * f32(x_at(r * p.k + k));
#if SCALED
                weights[r] += x[r];
#endif
            }
            for (var f = 0; f < FOURS; f++) {
                let four = four_of(words[j], f);
#if SCALED
                for (var r = 0; r < ROWS; r++) { own[r][f] = fma(vec4<f32>(x[r]), four, own[r][f]); }
#else
                for (var r = 0; r < ROWS; r++) { sums[r][f] = fma(vec4<f32>(x[r]), four, sums[r][f]); }
#endif
            }
        }
    }
#if SCALED
    end_group(&sums, &own, &weights, group * p.n + 4 * FOURS * at);
#endif
    for (var r = 0; r < ROWS; r++) {
        var total: array<vec4<T>, FOURS>;
        for (var f = 0; f < FOURS; f++) { total[f] = vec4<T>(sums[r][f]); }
        add_lanes(lane, i32(thread), &total);
        if (lane == 0 && place < p.pitch) {
            for (var f = 0; f < FOURS; f++) { store(((r * p.n) >> 2u) + FOURS * place + f, total[f]); }
        }
    }
}

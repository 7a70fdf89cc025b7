// Rows of `parts` times k numbers as bytes, four to a word, a part filled up with zeros to whole texels; behind
// each part a texel: the scale's bits, the zero point, the sum of the part's bytes (KIND_SYMMETRIC), 0.
// LANES threads share a row, a workgroup has ACROSS rows. KIND_WHOLE: x has bytes already.
const LANES = $LANES;
const ACROSS = $ACROSS;

#if !KIND_WHOLE
var<workgroup> ranges: array<array<vec2<f32>, LANES>, ACROSS>;
var<workgroup> sizes: array<array<u32, LANES>, ACROSS>;
#endif

struct Steps {
    inverse: f32,
    point: f32,
    scale: f32,
}

// Four numbers from k on of a part, whose first one is `first`.
fn four_of(first: i32, k: i32) -> vec4<x_type> {
#if WHOLE
    let four = x_texel((first + k) >> 2u);
#else
    let four = x_four(first + k);
#endif
    return select(vec4<x_type>(), four, vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k));
}

fn bytes_of(four: vec4<x_type>, steps: Steps) -> vec4<i32> {
#if KIND_WHOLE
    return four;
#else
    let near = round(four * steps.inverse) + steps.point;
    return vec4<i32>(clamp(near, vec4<f32>(-128), vec4<f32>(127)));
#endif
}

fn word_of(first: i32, k: i32, steps: Steps) -> i32 {
    var bytes = bytes_of(four_of(first, k), steps);
#if KIND_AFFINE
    bytes = select(vec4<i32>(), bytes, vec4<i32>(k, k + 1, k + 2, k + 3) < vec4<i32>(p.k));
#endif
    bytes = (bytes & vec4<i32>(255)) << vec4<u32>(0, 8, 16, 24);
    return bytes.x | bytes.y | bytes.z | bytes.w;
}

#if !KIND_WHOLE
// What spans less than 1e-36 counts as 0: its inverse would overflow.
fn steps_of(low: f32, high: f32, largest: u32) -> Steps {
#if KIND_AFFINE
    var width = high - low;
    let finite = max(largest, bitcast<u32>(width)) < 0x7f800000u;
    width = select(width, 255.0, !finite || width < 1e-36);
    let inverse = 255.0 / width;
    let from_low = -128.0 - low * inverse;
    let from_high = 127.0 - high * inverse;
    // The end of -128..127 that is farther from the zero point is met exactly.
    let upper = (-128.0 + low * inverse) + (127.0 + high * inverse) > 0.0;
    let point = round(clamp(select(from_high, from_low, upper), -128.0, 127.0));
    if (!finite) { return Steps(0.0, 0.0, nan()); }
    return Steps(inverse, point, width / 255.0);
#else
    if (largest >= 0x7f800000u) { return Steps(0.0, 0.0, nan()); }
    let most = max(-low, high);
    let span = select(most, 127.0, most < 1e-36);
    return Steps(127.0 / span, 0.0, span / 127.0);
#endif
}
#endif

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = i32(thread) % LANES;
    let across = i32(thread) / LANES;
    let row = i32(id.x + id.y * count.x) * ACROSS + across;
    let first = row * p.parts * p.k;
#if KIND_WHOLE
    let steps = Steps(1.0, 0.0, 1.0);
#else
    var low = vec4<f32>();
    var high = vec4<f32>();
    var size = vec4<u32>();
    for (var part = 0; part < p.parts; part++) {
        for (var k = lane * 4; k < p.k; k += LANES * 4) {
            let four = four_of(first + part * p.k, k);
            low = min(low, four);
            high = max(high, four);
            size = max(size, bitcast<vec4<u32>>(four) & vec4<u32>(0x7fffffff));
        }
    }
    ranges[across][lane] = vec2<f32>(min(min(low.x, low.y), min(low.z, low.w)), max(max(high.x, high.y), max(high.z, high.w)));
    sizes[across][lane] = max(max(size.x, size.y), max(size.z, size.w));
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) {
            let other = ranges[across][lane + half];
            let one = ranges[across][lane];
            ranges[across][lane] = vec2<f32>(min(one.x, other.x), max(one.y, other.y));
            sizes[across][lane] = max(sizes[across][lane], sizes[across][lane + half]);
        }
        workgroupBarrier();
    }
    let steps = steps_of(ranges[across][0].x, ranges[across][0].y, sizes[across][0]);
#endif
    if (row >= p.rows) { return; }
    let texels = (p.k + 15) / 16 + 1;
    for (var at = lane; at < p.parts * texels; at += LANES) {
        let part = at / texels;
        let start = first + part * p.k;
        let k = (at - part * texels) * 16;
        var words = vec4<i32>();
        if (k < p.k) {
            for (var j = 0; j < 4; j++) { words[j] = word_of(start, k + 4 * j, steps); }
        } else {
            words = vec4<i32>(bitcast<i32>(steps.scale), i32(steps.point), 0, 0);
#if KIND_SYMMETRIC
            for (var j = 0; j < p.k; j += 4) {
                let bytes = bytes_of(four_of(start, j), steps);
                words.z += bytes.x + bytes.y + bytes.z + bytes.w;
            }
#endif
        }
        store(row * p.parts * texels + at, words);
    }
}

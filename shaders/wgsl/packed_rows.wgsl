// As packed_tile.wgsl for few rows of x (ROWS), so that the filter is read once: LANES threads share an output
// channel, a workgroup computes ACROSS of them.
const ROWS = $ROWS;
const LANES = $LANES;
const ACROSS = $ACROSS;

var<workgroup> parts: array<array<array<i32, ROWS>, ACROSS>, LANES>;

@compute @workgroup_size(LANES * ACROSS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let lane = i32(thread) % LANES;
    let across = i32(thread) / LANES;
    let column = (i32(id.x) + i32(id.y) * p.across) * ACROSS + across;
    let record = p.texels + 1;
    var sums: array<i32, ROWS>;
    for (var k = lane; k < p.texels; k += LANES) {
        let y = bitcast<vec4<u32>>(filter_texel(column * record + k));
        for (var r = 0; r < ROWS; r++) {
            let x = bitcast<vec4<u32>>(x_texel(r * record + k));
            sums[r] += (dot4I8Packed(x.x, y.x) + dot4I8Packed(x.y, y.y))
                + (dot4I8Packed(x.z, y.z) + dot4I8Packed(x.w, y.w));
        }
    }
    parts[lane][across] = sums;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) {
            for (var r = 0; r < ROWS; r++) { parts[lane][across][r] += parts[lane + half][across][r]; }
        }
        workgroupBarrier();
    }
    if (lane >= ROWS || column >= p.n) { return; }
    let sum = parts[0][across][lane];
#if FLOATS
    let pixel = x_texel((lane + 1) * record - 1).xy;
    let channel = filter_texel((column + 1) * record - 1).xz;
    let product = f32(sum - pixel.y * channel.y) * bitcast<f32>(pixel.x);
    store(lane * p.n + column, product * bitcast<f32>(channel.x));
#else
    store(lane * p.n + column, sum);
#endif
}

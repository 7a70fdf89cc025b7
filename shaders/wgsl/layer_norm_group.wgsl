// As layer_norm.wgsl: LANES threads share a row and hold HELD texels of it each, so that it is read once; a
// workgroup computes ACROSS rows.
const LANES = $LANES;
const ACROSS = $ACROSS;
const HELD = $HELD;

var<workgroup> parts: array<array<f32, LANES>, ACROSS>;

fn row_sum(across: i32, lane: i32, x: vec4<f32>) -> f32 {
    workgroupBarrier();
    parts[across][lane] = x.x + x.y + x.z + x.w;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { parts[across][lane] += parts[across][lane + half]; }
        workgroupBarrier();
    }
    return parts[across][0];
}

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = i32(thread) % LANES;
    let across = i32(thread) / LANES;
    let row = i32(id.x + id.y * count.x) * ACROSS + across;
    let first = row * p.n;
    let size = f32(4 * p.n);
    var x: array<vec4<f32>, HELD>;
    var sum = vec4<f32>(0);
    for (var h = 0; h < HELD; h++) {
        let at = lane + h * LANES;
        x[h] = select(vec4<f32>(0), x_texel(first + at), at < p.n);
        sum += x[h];
    }
#if CENTER
    let mean = row_sum(across, lane, sum) / size;
#else
    let mean = 0.0;
#endif
    var squares = vec4<f32>(0);
    for (var h = 0; h < HELD; h++) {
        x[h] -= mean;
        squares += select(vec4<f32>(0), x[h] * x[h], lane + h * LANES < p.n);
    }
    let variance = row_sum(across, lane, squares) / size;
    let factor = inverseSqrt(variance + bitcast<f32>(p.epsilon_bits));
    if (row >= p.rows) { return; }
    for (var h = 0; h < HELD; h++) {
        let at = lane + h * LANES;
        if (at >= p.n) { break; }
        var y = x[h] * factor;
#if SCALE_TRUE
        y *= scale_texel(at);
#endif
#if OFFSET_TRUE
        y += offset_texel(at);
#endif
        store(first + at, y);
    }
}

// Like layer_norm.wgsl, but threads share a row and keep its elements (library/rows.wgsl), so that it is read once.
@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let share = row_share(id, count, thread);
    let first = share.row * p.n;
    let size = f32(4 * p.n);
    var x: array<vec4<f32>, HELD>;
    var sum = vec4<f32>(0);
    for (var h = 0; h < HELD; h++) {
        let at = share.lane + h * LANES;
        x[h] = select(vec4<f32>(0), x_texel(first + at), at < p.n);
        sum += x[h];
    }
#if CENTER
    let mean = row_sum(share, sum.x + sum.y + sum.z + sum.w) / size;
#else
    let mean = 0.0;
#endif
    var squares = vec4<f32>(0);
    for (var h = 0; h < HELD; h++) {
        x[h] -= mean;
        squares += select(vec4<f32>(0), x[h] * x[h], share.lane + h * LANES < p.n);
    }
    let variance = row_sum(share, squares.x + squares.y + squares.z + squares.w) / size;
    let factor = inverseSqrt(variance + bitcast<f32>(p.epsilon_bits));
    if (share.row >= p.rows) { return; }
    for (var h = 0; h < HELD; h++) {
        let at = share.lane + h * LANES;
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

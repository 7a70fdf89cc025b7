// Joins partial results of attention_rows.wgsl or attention_tile.wgsl for chunks of the keys. Each row and chunk has
// a texel with the maximum score and the sum of the weights, followed by the weighted values. An invocation computes
// four columns.
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let number = i32(id.x + id.y * count.x * 256u);
    let fours = (p.width + 3) / 4;
    let line = number / fours;
    let outer = line / (p.inner * p.m);
    if (outer >= p.outer) { return; }
    let column = number % fours;
    let first = line * p.chunks * (fours + 1);
    let end = first + p.chunks * (fours + 1);
    var most = x_texel(first).x;
    for (var t = first; t < end; t += fours + 1) { most = max(most, x_texel(t).x); }
    var sum: vec4<f32>;
    var total = 0.0;
    for (var t = first; t < end; t += fours + 1) {
        let own = x_texel(t);
        let weight = exp(own.x - most);
        total += weight * own.y;
        sum = fma(vec4<f32>(weight), x_texel(t + 1 + column), sum);
    }
    sum /= total;
#if BLIND_ZERO
    sum = select(sum, vec4<f32>(0), most <= -5e8);
#endif
    let at = outer * p.out_strides[0].x + line / p.m % p.inner * p.out_strides[1].x + line % p.m * p.out_strides[2].x;
    let place = at + 4 * column * p.out_strides[3].x;
#if QUADS
    store(place >> 2u, sum);
#else
    for (var e = 0; e < min(4, p.width - 4 * column); e++) { store(place + e * p.out_strides[3].x, sum[e]); }
#endif
}

// The sixteen numbers of 3 x 3 filters. An invocation computes four output channels of an input channel. BACKWARD: the
// filters of the gradient, which are reversed.
fn tap(number: i32, at: i32) -> vec4<f32> {
#if BACKWARD
    return filter_texel((8 - number) * p.count * p.channels + at);
#else
    return filter_texel(number * p.count * p.channels + at);
#endif
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let number = i32(id.x + id.y * count.x * 256u);
    let stride = p.count * p.channels;
    if (number >= stride) { return; }
    var g: array<vec4<f32>, 12>;
    for (var c = 0; c < 3; c++) {
        let first = tap(c, number);
        let second = tap(3 + c, number);
        let third = tap(6 + c, number);
        g[c] = first;
        g[3 + c] = 0.5 * (first + second + third);
        g[6 + c] = 0.5 * (first - second + third);
        g[9 + c] = third;
    }
    for (var r = 0; r < 4; r++) {
        let first = g[3 * r];
        let second = g[3 * r + 1];
        let third = g[3 * r + 2];
        let at = 4 * r * stride + number;
        store(at, first);
        store(at + stride, 0.5 * (first + second + third));
        store(at + 2 * stride, 0.5 * (first - second + third));
        store(at + 3 * stride, third);
    }
}

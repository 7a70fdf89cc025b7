// Tiles of 2 x 2 outputs from their sixteen products. An invocation computes four channels of a tile.
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let number = i32(id.x + id.y * count.x * 256u);
    let tile = number / p.channels;
    if (tile >= p.tiles) { return; }
    let channel = number - tile * p.channels;
    let stride = p.tiles * p.channels;
    var m: array<vec4<f32>, 8>;
    for (var c = 0; c < 4; c++) {
        let second = x_texel((4 + c) * stride + number);
        let third = x_texel((8 + c) * stride + number);
        m[c] = x_texel(c * stride + number) + second + third;
        m[4 + c] = second - third - x_texel((12 + c) * stride + number);
    }
    let image = tile / (p.down * p.across);
    let top = tile / p.across % p.down * 2;
    let left = tile % p.across * 2;
    for (var r = 0; r < 2; r++) {
        if (top + r < p.rows) {
            let at = ((image * p.rows + top + r) * p.columns + left) * p.channels + channel;
            store(at, m[4 * r] + m[4 * r + 1] + m[4 * r + 2]);
            if (left + 1 < p.columns) { store(at + p.channels, m[4 * r + 1] - m[4 * r + 2] - m[4 * r + 3]); }
        }
    }
}

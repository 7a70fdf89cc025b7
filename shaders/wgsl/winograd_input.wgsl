// The sixteen numbers of tiles of 4 x 4 pixels, which overlap by two. An invocation computes four channels of a tile.
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let number = i32(id.x + id.y * count.x * 256u);
    let tile = number / p.channels;
    if (tile >= p.tiles) { return; }
    let channel = number - tile * p.channels;
    let image = tile / (p.down * p.across);
    let top = tile / p.across % p.down * 2 - p.pad_top;
    let left = tile % p.across * 2 - p.pad_left;
    var d: array<vec4<f32>, 16>;
    for (var r = 0; r < 4; r++) {
        for (var c = 0; c < 4; c++) {
            let row = top + r;
            let column = left + c;
            if (row >= 0 && row < p.rows && column >= 0 && column < p.columns) {
                d[4 * r + c] = x_texel(((image * p.rows + row) * p.columns + column) * p.channels + channel);
            }
        }
    }
    for (var c = 0; c < 4; c++) {
        let above = d[4 + c];
        let below = d[8 + c];
        d[c] -= below;
        d[4 + c] = above + below;
        d[8 + c] = below - above;
        d[12 + c] = above - d[12 + c];
    }
    let stride = p.tiles * p.channels;
    for (var r = 0; r < 4; r++) {
        let first = d[4 * r];
        let second = d[4 * r + 1];
        let third = d[4 * r + 2];
        let at = 4 * r * stride + number;
        store(at, first - third);
        store(at + stride, second + third);
        store(at + 2 * stride, third - second);
        store(at + 3 * stride, second - d[4 * r + 3]);
    }
}

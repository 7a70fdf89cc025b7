// Writes `updates` over the block of the output that begins at the clipped starts. The block's size is `sizes`. The rest
// of the output is not written. An invocation writes one position.
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>) {
    let i = i32(id.x + id.y * count.x * 256u);
    if (i >= p.count) { return; }
    var at = 0;
    var stride = 1;
    var outer = i;
    for (var d = $RANK - 1; d >= 0; d--) {
        let size = p.sizes[d].x;
        let rest = outer / size;
        at += (outer - rest * size + clamp(starts_at(d), 0, p.dims[d].x - size)) * stride;
        stride *= p.dims[d].x;
        outer = rest;
    }
    store(at, updates_value(i));
}

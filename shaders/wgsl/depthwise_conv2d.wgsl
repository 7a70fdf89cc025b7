// Channel c produces output channels c * multiplier + 0, 1, ... QUADS (only with multiplier 1): channels
// count texels.
fn value(i: i32) -> V {
    let out_c = p.in_c * p.multiplier;
    let pixel = i / out_c;
    let oc = i - pixel * out_c;
    let c = oc / p.multiplier;
    let window = window_at(pixel);
    var sum = V(0);
    for (var y = 0; y < p.filter_h; y++) {
        let row = window.z + y * p.dilation_h;
        if (row < 0 || row >= p.in_h) { continue; }
        let first = (window.x * p.in_h + row) * p.in_w;
        for (var x = 0; x < p.filter_w; x++) {
            let column = window.w + x * p.dilation_w;
            if (column < 0 || column >= p.in_w) { continue; }
            sum += x_value((first + column) * p.in_c + c) * filter_value((y * p.filter_w + x) * out_c + oc);
        }
    }
    return sum;
}

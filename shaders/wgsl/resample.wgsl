// x [outer, n, inner], table [m, 1 + taps] -> [outer, m, inner]: weighted sums of `taps` neighbors. An entry
// of the table has the position of the first neighbor and the bits of the weights.
fn value(i: i32) -> V {
    let row = i / p.inner;
    let block = row / p.m;
    let entry = (row - block * p.m) * (p.taps + 1);
    var at = (block * p.n + table_at(entry)) * p.inner + i - row * p.inner;
    var sum = V(0);
    for (var t = 1; t <= p.taps; t++) {
        let weight = bitcast<f32>(table_at(entry + t));
        if (weight != 0.0) { sum += weight * x_value(at); }
        at += p.inner;
    }
    return sum;
}

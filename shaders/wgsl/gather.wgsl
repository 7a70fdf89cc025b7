// x [batch, outer, n, inner], indices [batch, m] -> [batch, outer, m, inner].
fn value(i: i32) -> V {
    let row = i / p.inner;
    let block = row / p.m;
    let j = row - block * p.m;
    let at = indices_at(block / p.outer * p.m + j);
    if (at < 0 || at >= p.n) { return V(0); }
    return x_value((block * p.n + at) * p.inner + i - row * p.inner);
}

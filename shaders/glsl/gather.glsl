// x [batch, outer, n, inner], indices [batch, m] -> [batch, outer, m, inner].
V value(int i) {
    int row = i / inner;
    int block = row / m;
    int j = row - block * m;
    int at = indices_at(block / outer * m + j);
    return at >= 0 && at < n ? x_value((block * n + at) * inner + i - row * inner) : V(0);
}

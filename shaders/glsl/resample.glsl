// x [outer, n, inner], table [m, 1 + taps] -> [outer, m, inner]: weighted sums of `taps` neighbors. An entry
// of the table has the position of the first neighbor and the bits of the weights.
V value(int i) {
    int row = i / inner;
    int block = row / m;
    int entry = (row - block * m) * (taps + 1);
    int at = (block * n + table_at(entry)) * inner + i - row * inner;
    V sum = V(0);
    for (int t = 1; t <= taps; t++) {
        float weight = intBitsToFloat(table_at(entry + t));
        if (weight != 0.0) sum += weight * x_value(at);
        at += inner;
    }
    return sum;
}

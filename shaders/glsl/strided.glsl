// Transpose, slice, reverse, broadcast: out[index] = x[offset + sum(index * strides)].
V value(int i) {
    int at = offset;
    for (int d = RANK - 1; d > 0; d--) {
        int rest = i / dims[d];
        at += (i - rest * dims[d]) * strides[d];
        i = rest;
    }
    return x_value(at + i * strides[0]);
}

// Padding with a constant at the edges (lo < 0 crops) and with `interior` elements in between.
V value(int i) {
    int at = 0, stride = 1;
    bool inside = true;
    for (int d = RANK - 1; d >= 0; d--) {
        int rest = i / out_dims[d];
        int p = i - rest * out_dims[d] - lo[d];
        int source = p / (interior[d] + 1);
        inside = inside && p >= 0 && source * (interior[d] + 1) == p && source < in_dims[d];
        at += source * stride;
        stride *= in_dims[d];
        i = rest;
    }
    return inside ? x_value(at) : V(T_FROM_BITS(value_bits));
}

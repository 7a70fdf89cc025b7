// x, except for a block of `sizes` that begins at the clipped starts: this block is `updates`.
V value(int i) {
    int at = 0, stride = 1, outer = i;
    bool inside = true;
    for (int d = RANK - 1; d >= 0; d--) {
        int rest = outer / dims[d];
        int place = outer - rest * dims[d] - clamp(starts_at(d), 0, dims[d] - sizes[d]);
        inside = inside && place >= 0 && place < sizes[d];
        at += place * stride;
        stride *= sizes[d];
        outer = rest;
    }
    return inside ? updates_value(at) : x_value(i);
}

// a with the strides row_stride and term_stride -> [splits, batch, bands, room, 8]: the chunks of
// matmul_bands, eight rows of a for each of `terms` terms.
V value(int i) {
    int place = i >> 1;
    int chunk = place / room;
    int term = place - chunk * room;
    if (term >= terms) {
        return V(0);
    }
    int slice = chunk / bands;
    int row = (chunk - slice * bands) * 8 + (i & 1) * 4;
    int split = slice / batch;
    int at = (slice - split * batch) * a_batch_stride + row * row_stride + (split * terms + term) * term_stride;
    return T4(a_at(at), a_at(at + row_stride), a_at(at + 2 * row_stride), a_at(at + 3 * row_stride));
}

// a, with rows row_stride and terms term_stride elements apart -> [chunks, batch, bands, room, 8]: what
// the parts of matmul_bands read, eight rows of a for each of `terms` terms.
V value(int i) {
    int place = i >> 1;
    int part = place / room;
    int term = place - part * room;
    if (term >= terms) {
        return V(0);
    }
    int slice = part / bands;
    int row = (part - slice * bands) * 8 + (i & 1) * 4;
    int chunk = slice / batch;
    int at = (slice - chunk * batch) * a_batch_stride + row * row_stride + (chunk * terms + term) * term_stride;
    return T4(a_at(at), a_at(at + row_stride), a_at(at + 2 * row_stride), a_at(at + 3 * row_stride));
}

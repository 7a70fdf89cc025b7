// Concatenation of rows: output row i is row i of each input in turn. PIECES is a PIECE per input.
#define PIECE(k, read) size = row_sizes[k]; if (r < size) return read(row * size + r); r -= size;

V value(int i) {
    int row = i / row_size;
    int r = i - row * row_size;
    int size;
    PIECES
    return V(0);
}

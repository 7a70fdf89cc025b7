// The rows of stored numbers with BITS bits at indices, as integers; zeros for indices outside of the matrix.
const BITS = $BITS;

fn value(i: i32) -> V {
    let j = i / p.width;
    let row = indices_at(j);
    if (row < 0 || row >= p.n) { return 0; }
    return stored_number(row, i - j * p.width);
}

// The values of a matrix in blocks of SIZE values, and if GATHER is set, of its rows at indices. A result is four
// values. Rows at indices outside of the matrix are zeros.
const SIZE = $SIZE;
const VALUES = $VALUES;

$NUMBERS

fn value(i: i32) -> V {
    var at = 4 * i;
#if GATHER
    let row = indices_at(at / p.k);
    if (row < 0 || row >= p.n) { return V(); }
    at = row * p.k + at % p.k;
#endif
    let b = at / SIZE;
    let scale = $SCALE(b, at % SIZE / VALUES);
    return scale.x * numbers_at(b, at % SIZE) + scale.y;
}

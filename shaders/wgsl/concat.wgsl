// Concatenation of rows: output row i is row i of each input in turn. PIECES has for each input k
//     size = p.row_sizes[k].x; if (r < size) { return x<k>_value(row * size + r); } r -= size;
fn value(i: i32) -> V {
    let row = i / p.row_size;
    var r = i - row * p.row_size;
    var size = 0;
    $PIECES
    return V(0);
}

// Tiles of subgroup matrices: the memory of a workgroup of DOWN x ALONG subgroups holds DEPTH pieces of ROWS rows and
// COLUMNS columns at a time.

#if ALONG
const ROWS = $ROWS;
const COLUMNS = $COLUMNS;
const DOWN = $DOWN;
const ALONG = $ALONG;
const DEPTH = $DEPTH;
const THREADS = 32 * DOWN * ALONG;
const A_LOADS = ROWS * DEPTH / THREADS;
const B_LOADS = COLUMNS * DEPTH / THREADS;
#endif

// x [outer, n, inner] -> the position along n of the first extremum, [outer, chunks, inner].
// With CANDIDATES the positions to compare are read from [outer, candidate_count, inner].
// NaN is worse than every number.
#ifdef KIND_MAX
#define BETTER(a, b) (a) > (b)
#define WORST -infinity()
#else
#define BETTER(a, b) (a) < (b)
#define WORST infinity()
#endif

int value(int i) {
    int block = i / inner;
    int column = i - block * inner;
    int row = block / chunks;
    int first = (block - row * chunks) * chunk;
    int base = row * n * inner + column;
#ifdef CANDIDATES
    int end = min(first + chunk, candidate_count);
#define POSITION(j) candidates_at((row * candidate_count + j) * inner + column)
#else
    int end = min(first + chunk, n);
#define POSITION(j) j
#endif
    int best = POSITION(first);
    x_TYPE extreme = number_or(x_at(base + best * inner), WORST);
    for (int j = first + 1; j < end; j++) {
        int position = POSITION(j);
        x_TYPE x = x_at(base + position * inner);
        if (BETTER(x, extreme)) {
            extreme = x;
            best = position;
        }
    }
    return best;
}

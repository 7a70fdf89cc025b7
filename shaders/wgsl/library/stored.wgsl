// The four numbers of BITS bits in a word from the number `first` on.
fn numbers_of(word: i32, first: i32) -> vec4<f32> {
    let shifts = vec4<u32>(u32(32 - BITS)) - u32(BITS) * (vec4<u32>(0, 1, 2, 3) + u32(first));
    return vec4<f32>((vec4<i32>(word) << shifts) >> vec4<u32>(u32(32 - BITS)));
}

// The word, or with WIDE the texel, which a thread reads at once, and its numbers in fours.
#if WIDE
alias StoredWords = vec4<i32>;
const STORED_FOURS = 32 / BITS;
fn stored_words(i: i32) -> StoredWords { return w_texel(i); }
fn stored_four(words: StoredWords, f: i32) -> vec4<f32> { return numbers_of(words[f * BITS / 8], 4 * f % (32 / BITS)); }
#else
alias StoredWords = i32;
const STORED_FOURS = 8 / BITS;
fn stored_words(i: i32) -> StoredWords { return w_at(i); }
fn stored_four(words: StoredWords, f: i32) -> vec4<f32> { return numbers_of(words, 4 * f); }
#endif

// The zero point of this position.
fn zero_of(at: i32) -> f32 { return f32(extractBits(zero_at(at >> 2u), u32(at & 3) * 8u, 8u)); }

// The zero points of a texel of positions.
fn zeros_of_texel(texel: i32) -> vec4<f32> {
    return vec4<f32>((vec4<i32>(zero_at(texel)) << vec4<u32>(24, 16, 8, 0)) >> vec4<u32>(24));
}

// The number in a column of a row, which has p.stride bytes.
fn stored_number(row: i32, column: i32) -> i32 {
    let byte = row * p.stride + column * BITS / 8;
    return extractBits(w_at(byte >> 2u), u32((byte & 3) * 8 + column * BITS % 8), u32(BITS));
}

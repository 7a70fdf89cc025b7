"""The model of byte-pair encoding, which merges neighboring tokens in the order of its rules."""

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

CACHED_WORDS = 10_000
CACHED_LENGTH = 256
"""Number of words whose tokens are kept, and the greatest length of such a word."""

Token = tuple[int, str]
Pair = tuple[int, int]


class BPE:
    """A model of byte-pair encoding (Sennrich et al. 2016, arXiv:1508.07909).

    Args:
        vocab: Numbers of the tokens.
        merges: Pairs of tokens to merge. Earlier pairs take precedence.
        unk_token: Token that takes the place of unknown characters, which otherwise disappear.
        continuing_subword_prefix: String before each character but the first one of a word.
        end_of_word_suffix: String after the last character of a word.
        fuse_unk: If True, a sequence of unknown characters becomes one token.
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        *,
        unk_token: str | None = None,
        continuing_subword_prefix: str | None = None,
        end_of_word_suffix: str | None = None,
        fuse_unk: bool = False,
    ) -> None:
        self.vocab = dict(vocab)
        self._tokens = {number: token for token, number in self.vocab.items()}
        self._unknown, self._fuse = unk_token, fuse_unk
        self._prefix = continuing_subword_prefix or ""
        self._suffix = end_of_word_suffix or ""
        self._merges: dict[Pair, tuple[int, int]] = {}
        """The rank of each pair, and the number of the merged token."""
        for rank, (left, right) in enumerate(merges):
            joined = left + right[len(self._prefix) :]
            for token in (left, right, joined):
                if token not in self.vocab:
                    raise ValueError(f"Token `{token}` out of vocabulary")
            pair = self.vocab[left], self.vocab[right]
            self._merges[pair] = rank, self.vocab[joined]
        self._cache: dict[str, list[Token]] = {}

    def token_to_id(self, token: str) -> int | None:
        """Return the number of a token, or None if there is no such token."""
        return self.vocab.get(token)

    def id_to_token(self, id: int) -> str | None:
        """Return the token with a number, or None if there is no such number."""
        return self._tokens.get(id)

    def tokenize(self, sequence: str) -> list[Token]:
        """Return the tokens of a word."""
        found = self._cache.get(sequence)
        if found is None:
            merged = self._merged(self._characters(sequence))
            found = [(number, self._tokens[number]) for number in merged]
            if len(sequence) < CACHED_LENGTH and len(self._cache) < CACHED_WORDS:
                self._cache[sequence] = found
        return found

    def _characters(self, word: str) -> list[int]:
        """Return the tokens of single characters."""
        found: list[int] = []
        is_unknown = False
        for place, character in enumerate(word):
            start = self._prefix if place > 0 else ""
            end = self._suffix if place == len(word) - 1 else ""
            number = self.vocab.get(f"{start}{character}{end}")
            if number is not None:
                found.append(number)
                is_unknown = False
            elif self._unknown is not None:
                if not (is_unknown and self._fuse):
                    found.append(self.vocab[self._unknown])
                is_unknown = True
        return found

    def _merged(self, tokens: list[int]) -> list[int]:
        """Merge pairs of tokens, the pair with the lowest rank first, until there is none."""
        merges, end = self._merges, len(tokens)
        following = list(range(1, end + 1))
        before = list(range(-1, end - 1))
        queue: list[tuple[int, int, int]] = []
        """Ranks of pairs, their places, and the merged tokens."""

        def push(left: int, right: int) -> None:
            found = merges.get((tokens[left], tokens[right]))
            if found is not None:
                heappush(queue, (found[0], left, found[1]))

        for place in range(end - 1):
            push(place, place + 1)
        while queue:
            _, left, made = heappop(queue)
            right = following[left]
            if right >= end or tokens[left] < 0:
                continue
            if merges.get((tokens[left], tokens[right]), (0, -1))[1] != made:
                continue  # one of the two has been merged with another token
            tokens[left], tokens[right] = made, -1
            following[left] = after = following[right]
            if after < end:
                before[after] = left
                push(left, after)
            if before[left] >= 0:
                push(before[left], left)
        return [token for token in tokens if token >= 0]

const LETTERS = String.raw`[\p{L}\p{M}\p{N}]`;

/** Finds the words of a search, at the beginning of words. Undefined if there are none. */
export function hitsOf(search: string): RegExp | undefined {
  const words = search.match(new RegExp(`${LETTERS}+`, 'gu'));
  return words === null ? undefined : new RegExp(`(?<!${LETTERS})(${words.join('|')})`, 'giu');
}

/** A text with its hits marked. */
export function Marked({ text, hits }: { readonly text: string; readonly hits: RegExp | undefined }) {
  if (hits === undefined) return <>{text}</>;
  // With a group, a split returns the hits as well: at the odd places.
  return <>{text.split(hits).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}

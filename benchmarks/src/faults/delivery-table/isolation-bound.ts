/** Refusals of a bad event alone until it is at fault. At first one request in ten may fail by chance, as far as is known. */
const PROOFS = 6;
/** Refusals of several events until one of them is at fault. */
const REFUSALS = 2;

/** Events of a batch that are sent together: their places, from the first to the one before `to`. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/**
 * Maximum number of requests for a part of a batch, of which the service refuses each request with a bad event.
 *
 * @param bad The places of the bad events.
 * @param refusals How often the part is refused before it is sent in halves.
 * @param accepted The most events that were surely accepted by then in one request. If more are refused, it may be for their
 *   number.
 */
export function mostRequests(
  part: Part,
  bad: readonly number[],
  refusals: number = REFUSALS,
  accepted: number = 0,
): number {
  if (!isBad(part, bad)) return 1;
  const size = sizeOf(part);
  if (size === 1) return PROOFS;
  const middle = part.from + Math.ceil(size / 2);
  const first = { from: part.from, to: middle };
  const second = { from: middle, to: part.to };
  // If one half is accepted, a bad event must be in the other: that one is not sent again, unless there may be too many events.
  const halves = [
    { half: first, other: second, sent: 1 },
    // It waits for the answer to the first.
    { half: second, other: first, sent: 0 },
  ];
  return halves.reduce((requests, { half, other, sent }) => {
    if (isBad(other, bad)) return requests + mostRequests(half, bad, REFUSALS, accepted);
    const most = Math.max(accepted, sizeOf(other));
    return requests + mostRequests(half, bad, size <= accepted ? sent : REFUSALS, most);
  }, refusals);
}

function isBad({ from, to }: Part, bad: readonly number[]): boolean {
  return bad.some((place) => place >= from && place < to);
}

function sizeOf({ from, to }: Part): number {
  return to - from;
}

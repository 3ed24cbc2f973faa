/**
 * What the sender does with an answer:
 * - `accept`: the service has the events; release them.
 * - `retry`: send the same bytes again, later.
 * - `split`: the body is too large; send it in halves. One event alone that is too large becomes a dead letter.
 * - `isolate`: an event is at fault; send halves to find it. One event refused twice the same way becomes a dead letter.
 * - `pause`: nothing is wrong with the events; keep all, and ask again from time to time.
 */
export type Action = 'accept' | 'retry' | 'split' | 'isolate' | 'pause';

/** Actions by status, exact ones first. The interface documents none: these are the safe readings of HTTP. */
const ACTIONS: Readonly<Record<string, Action>> = {
  '401': 'pause',
  '403': 'pause',
  '404': 'pause',
  '405': 'pause',
  '408': 'retry',
  '410': 'pause',
  '413': 'split',
  '425': 'retry',
  '429': 'retry',
  '501': 'isolate',
  '2xx': 'accept',
  '3xx': 'pause',
  '4xx': 'isolate',
  '5xx': 'retry',
};

/** The action for a status. One that HTTP does not know is kept and tried again. */
export function actionFor(status: number): Action {
  return ACTIONS[status] ?? ACTIONS[`${Math.floor(status / 100)}xx`] ?? 'retry';
}

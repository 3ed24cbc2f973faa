import { describe, expect, it } from 'vitest';
import { Page } from '../../bench/page.ts';
import { answered, type SeenRequest } from '../../bench/scripted-transport.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Tracks so many events, and gives the page time to send them. Returns the requests that were made. */
async function send(page: Page, events: number, bytes?: number): Promise<readonly SeenRequest[]> {
  const { requests } = page.transport;
  const before = requests.length;
  page.track(events, bytes);
  for (let seconds = 0; seconds < 300; seconds += 1) await page.clock.advance(SECOND);
  expect(page.counts.pending).toBe(0);
  return requests.slice(before);
}

// `Page` has no part `learn`.
describe('a page that remembers neither sizes nor rates', () => {
  it('delivers all to a service that takes small bodies, and soon makes few larger ones', async () => {
    const page = new Page();
    const most = 20_000;
    const isTaken = ({ body }: SeenRequest) => body.length <= most;
    page.transport.respond = (request) => answered(isTaken(request) ? 200 : 413);
    await send(page, 1_000);
    const later = await send(page, 4_000);
    expect(page.counts.delivered).toBe(5_000);
    expect(later.filter(isTaken).length).toBeGreaterThan(
      10 * later.filter((request) => !isTaken(request)).length,
    );
    expect(page.dispatch.stats.bodyLimit).toBeUndefined();
  });

  it('sends an event again that is refused once as too large', async () => {
    const page = new Page();
    page.transport.respond = () => answered(page.transport.requests.length === 1 ? 413 : 200);
    await send(page, 1);
    expect(page.counts.delivered).toBe(1);
  });

  it('keeps an event as a dead letter that is refused twice as too large', async () => {
    const page = new Page();
    page.transport.respond = ({ body }) => answered(body.length > 5_000 ? 413 : 200);
    page.track(1, 10_000);
    const requests = await send(page, 1);
    // Both events together, and then the large one alone.
    expect(requests.filter(({ body }) => body.length > 5_000)).toHaveLength(1 + 2);
    expect(page.books.deadLettered).toBe(1);
    expect(page.counts.delivered).toBe(1);
  });

  it('keeps no dead letter if it refuses everything as too large', async () => {
    const page = new Page();
    page.transport.respond = () => answered(413);
    page.track(4);
    for (let seconds = 0; seconds < 300; seconds += 1) await page.clock.advance(SECOND);
    expect(page.books.deadLettered).toBe(0);
    expect(page.counts.pending).toBe(4);
  });

  it('delivers all to a service that refuses every other request as one too many', async () => {
    const page = new Page();
    page.transport.respond = () => answered(page.transport.requests.length % 2 ? 429 : 200);
    await send(page, 4_000);
    expect(page.counts.delivered).toBe(4_000);
    expect(page.dispatch.stats.rateLimit).toBeUndefined();
  });

  it('leaves a service alone that asks for time', async () => {
    const page = new Page();
    const times: number[] = [];
    page.transport.respond = () => {
      times.push(page.clock.now());
      return answered(times.length === 1 ? 429 : 200, { retryAfter: '60' });
    };
    await send(page, 100);
    await send(page, 100);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(MINUTE);
    expect(page.counts.delivered).toBe(200);
  });
});

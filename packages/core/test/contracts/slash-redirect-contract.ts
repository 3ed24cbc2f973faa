import { describe, expect, it } from 'vitest';
import { uuid } from '../../src/base/uuid.ts';
import { answer } from '../hostile/answers.ts';
import { KEY, type Trial } from '../hostile/trial.ts';

const TAKEN = answer('200 OK', 'taken');
const BODY = new TextEncoder().encode('{"batch":[]}');

/** What a transport must do if the service redirects to its address with or without the slash at the end. */
export function describeSlashRedirects(name: string, trial: Trial): void {
  const { isBrowser } = trial.traits;
  const to = (location: string, status = 308) => answer(`${status} Elsewhere`, '', `location: ${location}`);

  /** Sends requests to an address with a slash, one after the other. Says how each ended, and which addresses were asked. */
  async function send(requests: number, bare: string, behindSlash: string) {
    const id = uuid();
    const url = `${trial.address({ id, says: bare, saysBehindSlash: behindSlash })}/`;
    const transport = trial.create();
    const statuses: unknown[] = [];
    for (let left = requests; left > 0; left -= 1) {
      const outcome = await trial.post(transport, { url, body: BODY });
      statuses.push(outcome.kind === 'answered' ? outcome.status : outcome.kind);
      if (statuses.at(-1) === 200)
        expect({ from: undefined, ...outcome }).toMatchObject({ body: 'taken', from: undefined });
    }
    await transport.close();
    const seen = await trial.seen(id);
    for (const request of seen)
      expect(request).toMatchObject({ isWhole: true, bytes: BODY.length, key: `Api-Key ${KEY}` });
    return { statuses, asked: seen.map(({ hasSlash }) => (hasSlash ? 'slash' : 'bare')) };
  }

  describe(`${name}, where the service redirects to its address without the slash`, () => {
    it.each([301, 307, 308])('sends the same request there, and remembers it: %i', async (status) => {
      expect(await send(3, TAKEN, to('{path}', status))).toEqual({
        statuses: [200, 200, 200],
        asked: ['slash', 'bare', 'bare', 'bare'],
      });
    });

    it('does so for several requests at the same time', async () => {
      const url = `${trial.address({ says: TAKEN, saysBehindSlash: to('{path}') })}/`;
      const transport = trial.create();
      const post = () => trial.post(transport, { url, body: BODY });
      for (let round = 0; round < 2; round += 1)
        for (const outcome of await Promise.all([post(), post(), post(), post()]))
          expect(outcome).toMatchObject({ status: 200, body: 'taken' });
      await transport.close();
    });

    it('does so where the location is a whole address', async () => {
      const { statuses } = await send(1, TAKEN, to(`${trial.service.origin}{path}`));
      expect(statuses).toEqual([200]);
    });

    it('hands on what the service says there', async () => {
      const { statuses } = await send(1, answer('503 Later', ''), to('{path}'));
      expect(statuses).toEqual([503]);
    });

    it('makes one more request, not two, where that address redirects back', async () => {
      const { statuses, asked } = await send(2, to('{path}/'), to('{path}'));
      const redirect = isBrowser ? 302 : 308;
      expect(statuses).toEqual([redirect, redirect]);
      expect(asked).toEqual(['slash', 'bare', 'slash', 'bare']);
    });

    it('does not remember an address where somebody else answers', async () => {
      const page = answer('200 OK', '<!doctype html>', 'content-type: text/html');
      const id = uuid();
      const url = `${trial.address({ id, says: page, saysBehindSlash: to('{path}') })}/`;
      const transport = trial.create();
      await trial.post(transport, { url, body: BODY });
      await trial.post(transport, { url, body: BODY });
      await transport.close();
      expect((await trial.seen(id)).map(({ hasSlash }) => hasSlash)).toEqual([true, false, true, false]);
    });
  });

  describe.skipIf(isBrowser)(`${name}, where a redirect leads elsewhere`, () => {
    const { origin } = trial.service;

    it.each([
      ['another status', to('{path}', 302)],
      ['another status', to('{path}', 303)],
      ['another path', to('{path}x')],
      ['a query', to('{path}?x=1')],
      ['another origin', to(`${origin.replace('127.0.0.1', 'localhost')}{path}`)],
      ['another scheme', to(`${origin.replace('http:', 'https:')}{path}`)],
      ['nowhere', answer('308 Elsewhere', '')],
      ['nonsense', to('http://[')],
    ])('makes no other request: %s', async (_, behindSlash) => {
      expect((await send(1, TAKEN, behindSlash)).asked).toEqual(['slash']);
    });
  });
}

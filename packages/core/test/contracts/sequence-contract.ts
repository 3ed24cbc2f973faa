import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { cases } from '../../../../testing/full.ts';
import { uuid } from '../../src/base/uuid.ts';
import { answer, head, SHREDS } from '../hostile/answers.ts';
import type { Script } from '../hostile/script.ts';
import { LONG, SHORT_MS, type Trial } from '../hostile/trial.ts';

/** How one request affects the next. */
export function describeSequences(name: string, trial: Trial): void {
  describe(`${name}, from one request to the next`, () => {
    it.each([301, 302, 303, 307, 308])('follows no redirect: %i', async (status) => {
      const id = uuid();
      const location = trial.address({ id, says: answer('200 OK', id) });
      const says = answer(`${status} Elsewhere`, '', `location: ${location}`);
      // A page sees neither the status nor the address.
      const seen = trial.traits.isBrowser ? { status: 302 } : { status, location };
      await trial.among(
        { url: trial.address({ says }) },
        { kind: 'answered', retryAfter: undefined, body: '', ...seen },
        async () => expect(await trial.seen(id)).toEqual([]),
      );
    });

    it('makes no request once its signal has aborted', async () => {
      const id = uuid();
      const request = { url: trial.address({ id }), signal: AbortSignal.abort(new Error('enough')) };
      await trial.among(request, trial.notSent, async () => expect(await trial.seen(id)).toEqual([]));
    });

    it('takes no answer for another', async () => {
      const transport = trial.create();
      const two = answer('200 OK', 'forged') + answer('200 OK', 'forged too');
      for (let turn = 0; turn < 10; turn += 1) {
        await trial.post(transport, { url: trial.address({ says: answer('200 OK', 'first') + two }) });
        expect((await trial.postWell(transport))[0]).toMatchObject({ kind: 'answered' });
      }
      await transport.close();
    });

    it('keeps requests apart that are made at once', async () => {
      const transport = trial.create();
      const scripts: Partial<Script>[] = [
        { says: answer('200 OK', 'first') + answer('200 OK', 'forged') },
        { says: head('200 OK', 'content-length: 9'), ends: 'closed' },
        { says: 'not HTTP at all', ends: 'closed' },
        { ends: 'reset' },
      ];
      const requests = Array.from({ length: 60 }, (_, index) => {
        const script = scripts[index % (2 * scripts.length)];
        return script === undefined
          ? trial.postWell(transport)
          : trial.post(transport, { url: trial.address(script) });
      });
      await Promise.all(requests);
      await trial.worksAgain(transport);
      await transport.close();
    });

    if (!trial.traits.isBrowser)
      it('uses a connection again', async () => {
        const transport = trial.create();
        const [, [first]] = await trial.postWell(transport);
        for (let turn = 0; turn < 5; turn += 1) {
          expect((await trial.postWell(transport))[1]).toMatchObject([{ connection: first?.connection }]);
        }
        await transport.close();
      });

    if (!trial.traits.isBrowser)
      it.each<[string, Partial<Script>]>([
        ['closed', { ends: 'closed' }],
        ['half-closed', { ends: 'half-closed' }],
        ['reset', { ends: 'reset' }],
      ])('does not post again by itself on a connection that was kept: %s', async (_, script) => {
        const transport = trial.create();
        const [, [kept]] = await trial.postWell(transport);
        const id = uuid();
        expect(await trial.post(transport, { url: trial.address({ ...script, id }) })).toEqual(
          trial.maybeSent,
        );
        expect(await trial.seen(id)).toMatchObject([{ connection: kept?.connection, isWhole: true }]);
        await transport.close();
      });

    it('sends once at the most where kept connections are closed meanwhile', async () => {
      const transport = trial.create();
      for (let turn = 0; turn < 20; turn += 1) {
        const [outcome, requests] = await trial.postWell(transport, { ends: turn % 2 ? 'closed' : 'reset' });
        const isCertain = outcome.kind === 'failed' && !outcome.maybeSent;
        if (!trial.traits.isBrowser) expect(requests.length).toBeLessThanOrEqual(isCertain ? 0 : 1);
      }
      await trial.worksAgain(transport);
      await transport.close();
    });

    if (!trial.traits.isBrowser)
      it('survives whatever a service says', async () => {
        const transport = trial.create();
        const says = fc.array(fc.constantFrom(...SHREDS), { maxLength: 12 }).map((shreds) => shreds.join(''));
        const timeouts = { ...LONG, headersMs: SHORT_MS, bodyMs: SHORT_MS };
        await fc.assert(
          fc.asyncProperty(says, async (said) => {
            const url = trial.address({ says: said, ends: 'closed' });
            const outcome = await trial.post(transport, { url, timeouts });
            // The outcome itself is not checked: the previous request may have left a connection that has just been closed.
            if (outcome.kind === 'failed') expect(outcome.cause).toBeInstanceOf(Error);
            await trial.worksAgain(transport);
          }),
          { numRuns: cases(100, 30), endOnFailure: true },
        );
        await transport.close();
      });

    it('leaves nothing behind on a signal that lives long, nor a timer', async () => {
      const transport = trial.create();
      const { signal } = new AbortController();
      const listeners = new Set<unknown>();
      vi.spyOn(signal, 'addEventListener').mockImplementation((_, listener) => void listeners.add(listener));
      vi.spyOn(signal, 'removeEventListener').mockImplementation(
        (_, listener) => void listeners.delete(listener),
      );
      const { countTimers = () => 0 } = trial.traits;
      const timers = countTimers();
      const url = trial.address({ says: answer('200 OK', '') });
      const cut = trial.address({ says: head('200 OK', 'content-length: 9'), ends: 'closed' });
      const lost = trial.address({ ends: 'reset' });
      for (let turn = 0; turn < 20; turn += 1) {
        await Promise.all([url, cut, lost].map((each) => trial.post(transport, { url: each, signal })));
      }
      expect(listeners.size).toBe(0);
      expect(countTimers()).toBeLessThanOrEqual(timers);
      await transport.close();
    });
  });
}

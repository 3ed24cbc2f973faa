import { describe, expect, it } from 'vitest';
import { uuid } from '../../src/base/uuid.ts';
import { MAX_ANSWER_BYTES } from '../../src/send/http/transport.ts';
import { answer, gzip, head, latin1 } from '../hostile/answers.ts';
import type { Script } from '../hostile/script.ts';
import { LONG, type Trial } from '../hostile/trial.ts';

type Scripted = [what: string, script: Partial<Script>];

/** The status was received: with a complete body, or with a part of it. */
export function describeAnswers(name: string, trial: Trial): void {
  describe(`${name}, where the status came`, () => {
    const answered = (body: unknown, status = 200) => ({
      ...{ kind: 'answered', status, retryAfter: undefined, body },
    });
    const start = head('200 OK', 'content-length: 1000');
    const chunked = head('200 OK', 'transfer-encoding: chunked');
    const noChunk: Scripted = ['a chunk that is none', { says: `${chunked}7\r\npartial\r\nno chunk\r\n` }];

    it.each<Scripted>([
      ['closed', { says: `${start}partial`, ends: 'closed' }],
      ['half-closed', { says: `${start}partial`, ends: 'half-closed' }],
      ['reset', { says: `${start}partial`, everyMs: 50, ends: 'reset' }],
      ['closed between chunks', { says: `${chunked}7\r\npartial\r\n`, ends: 'closed' }],
      ...(trial.traits.endsNonsense ? [noChunk] : []),
    ])('takes it, with what came of a body that breaks off: %s', async (_, script) => {
      // A reset overtakes what was sent before it, and a stream that fails drops bytes that were not read yet.
      const isSure = trial.traits.seesConnections && script.ends !== 'reset';
      const body = isSure ? 'partial' : expect.stringMatching(/^(partial)?$/);
      await trial.among({ url: trial.address(script) }, answered(body));
    });

    it.each<[string, Partial<Script>, string]>([
      ['more than its length', { says: `${head('200 OK', 'content-length: 4')}partial` }, 'part'],
      ['no length', { says: `${head('200 OK')}to the end`, ends: 'closed' }, 'to the end'],
      ['HTTP/1.0', { says: `${head('200 OK')}old`.replace('/1.1', '/1.0'), ends: 'closed' }, 'old'],
      ['hints before it', { says: `HTTP/1.1 103 Early Hints\r\n\r\n${answer('200 OK', 'final')}` }, 'final'],
      ['another answer behind it', { says: answer('200 OK', 'one') + answer('500 No', 'two') }, 'one'],
    ])('takes it, with the body: %s', async (_, script, body) => {
      await trial.among({ url: trial.address(script) }, answered(body));
    });

    it('takes it where there is no body', async () => {
      await trial.among({ url: trial.address({ says: head('204 No Content') }) }, answered('', 204));
    });

    it.each<[string, Partial<Script>]>([
      ['nothing more comes', { says: `${start}partial` }],
      ['the rest drips', { says: `${start}partial`, repeats: '.', everyMs: 20 }],
      ['chunks drip', { says: `${chunked}7\r\npartial\r\n`, repeats: '1\r\n.\r\n', everyMs: 20 }],
    ])('waits bodyMs for the rest, and gives the connection up: %s', async (_, script) => {
      const expected = answered(expect.stringMatching(/^partial\.*$/));
      await trial.withBound(async (bodyMs) => {
        const id = uuid();
        const request = { url: trial.address({ ...script, id }), timeouts: { ...LONG, bodyMs } };
        await trial.among(request, expected, trial.isGivenUp(id));
      });
    });

    it('takes it where totalMs is over within the body', async () => {
      const url = trial.address({ says: `${start}partial` });
      await trial.withBound((totalMs) =>
        trial.among({ url, timeouts: { ...LONG, totalMs } }, answered('partial')),
      );
    });

    it('takes it where its signal aborts within the body', async () => {
      const url = trial.address({ says: `${start}partial` });
      await trial.withBound(async (ms) => {
        const abort = new AbortController();
        setTimeout(() => abort.abort(new Error('enough')), ms);
        await trial.among({ url, signal: abort.signal }, answered('partial'));
      });
    });

    it('reads the start of a body that inflates without measure', async () => {
      const zeros = await gzip(new Uint8Array(8 * 1024 * 1024));
      const says = answer('200 OK', zeros, 'content-encoding: gzip');
      const start = expect.toSatisfy((text: string) => text.length > 0 && text.length <= MAX_ANSWER_BYTES);
      await trial.among({ url: trial.address({ says }) }, answered(start));
    });

    it('takes it where the body is not encoded as it says', async () => {
      const says = answer('200 OK', 'not deflated', 'content-encoding: gzip');
      await trial.among({ url: trial.address({ says }) }, answered(expect.any(String)));
    });

    it('reads no more of a body in other scripts, and no half characters', async () => {
      const zhe = latin1(new TextEncoder().encode('ж'.repeat(1_000)));
      const url = trial.address({ says: `${chunked}1\r\n-\r\n`, repeats: `7d0\r\n${zhe}\r\n` });
      await trial.among({ url }, answered(`-${'ж'.repeat(MAX_ANSWER_BYTES / 2 - 1)}`));
    });

    it('reads the start of an endless body, and gives the connection up', async () => {
      const id = uuid();
      const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
      const url = trial.address({ id, says: chunked, repeats: chunk });
      await trial.among({ url }, answered('x'.repeat(MAX_ANSWER_BYTES)), trial.isGivenUp(id));
    });

    it.each<[string, Partial<Script>]>([
      ['which stays open', {}],
      ['closed', { ends: 'closed' }],
      ['half-closed', { ends: 'half-closed' }],
    ])('takes an answer that comes before the body was read, on a connection %s', async (_, script) => {
      const url = trial.address({
        reads: false,
        says: answer('413 Too Large', 'no', 'connection: close'),
        ...script,
      });
      const body = new Uint8Array(512 * 1024);
      const taken = answered('no', 413);
      const isSure = trial.traits.takesEarlyAnswers || script.ends !== 'closed';
      await trial.among({ url, body }, isSure ? taken : expect.toBeOneOf([taken, trial.maybeSent]));
    });

    it(
      trial.traits.takesContinue
        ? 'takes the answer behind an interim one that it did not ask for'
        : 'fails where it is told to continue and did not ask: the body may have arrived',
      async () => {
        const url = trial.address({ says: `HTTP/1.1 100 Continue\r\n\r\n${answer('200 OK', 'final')}` });
        const taken = { kind: 'answered', status: 200, retryAfter: undefined, body: 'final' };
        await trial.among({ url }, trial.traits.takesContinue ? taken : trial.maybeSent);
      },
    );

    it.each([
      ['twice', 'retry-after: 1\r\nretry-after: 2'],
      ['at great length', `retry-after: ${'9'.repeat(10_000)}`],
      ['empty', 'retry-after:'],
    ])('says when to come back, as it was told: %s', async (_, header) => {
      const url = trial.address({ says: answer('503 Later', '', header) });
      const expected = { kind: 'answered', status: 503, retryAfter: expect.any(String), body: '' };
      await trial.among({ url }, expected);
    });
  });
}

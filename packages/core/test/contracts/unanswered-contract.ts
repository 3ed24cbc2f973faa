import { describe, expect, it } from 'vitest';
import { uuid } from '../../src/base/uuid.ts';
import { head } from '../hostile/answers.ts';
import type { Script } from '../hostile/script.ts';
import { LARGE_BODY, LONG, SHORT_MS, type Trial, timeOut } from '../hostile/trial.ts';

/** No answer: there is no connection, or no answer comes on it. */
export function describeWithoutAnswer(name: string, trial: Trial): void {
  describe(`${name}, where there is no connection`, () => {
    const untrusted: [string, string] = [
      'the certificate is not to be trusted',
      `${trial.service.tlsOrigin}/`,
    ];
    it.each<[string, string]>([
      ['nobody listens', `http://${trial.service.closedHost}/`],
      ['there is no such host', 'http://service.invalid/'],
      // The browser of these tests trusts all certificates.
      ...(trial.traits.isBrowser ? [] : [untrusted]),
      ['the service does not speak TLS', `https://${new URL(trial.service.origin).host}/`],
    ])('says that nothing was sent, if it can tell: %s', async (_, url) => {
      await trial.among({ url }, trial.notSent);
    });

    it('waits connectMs for one, or headersMs where it cannot tell', async () => {
      const bound = trial.traits.seesConnections ? 'connectMs' : 'headersMs';
      const url = `https://${trial.service.silentHost}/`;
      await trial.among(
        { url, timeouts: { ...LONG, [bound]: SHORT_MS } },
        { ...trial.notSent, cause: timeOut(bound) },
      );
    });

    it('stops waiting for one when its signal aborts', async () => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error('enough')), SHORT_MS);
      const url = `https://${trial.service.silentHost}/`;
      await trial.among({ url, signal: abort.signal }, trial.notSent);
    });
  });

  describe(`${name}, where no answer comes`, () => {
    const status = 'HTTP/1.1 200 OK\r\n';
    const filler = 'x'.repeat(1_000);
    const nonsense: [string, Partial<Script>][] = [
      ['something that is not HTTP', { says: 'SSH-2.0-OpenSSH_9.2\r\n'.repeat(10) }],
      ['two lengths', { says: head('200 OK', 'content-length: 1', 'content-length: 2') }],
    ];
    it.each<[string, Partial<Script>]>([
      ['reset before the body was read', { reads: false, ends: 'reset' }],
      ['reset after the body', { ends: 'reset' }],
      ['closed after the body', { ends: 'closed' }],
      ['half-closed after the body', { ends: 'half-closed' }],
      ['headers without end', { says: status, repeats: `x-filler: ${filler}\r\n` }],
      ['a header without end', { says: `${status}x-filler: `, repeats: filler.repeat(60) }],
      ...(trial.traits.endsNonsense ? nonsense : []),
    ])('says that the body may have arrived: %s', async (_, script) => {
      await trial.among({ url: trial.address(script) }, trial.maybeSent);
    });

    if (!trial.traits.isBrowser)
      it.each<[string, Partial<Script>]>([
        ['closed within the status', { says: 'HTTP/1.1 20', ends: 'closed' }],
        ['closed within the headers', { says: `${status}content-le`, ends: 'closed' }],
        ['another protocol', { says: head('101 Switching Protocols', 'connection: upgrade', 'upgrade: h3') }],
        ['a length and chunks', { says: head('200 OK', 'content-length: 5', 'transfer-encoding: chunked') }],
        ['a length that is no number', { says: head('200 OK', 'content-length: ten') }],
      ])('says that the body may have arrived: %s', async (_, script) => {
        await trial.among({ url: trial.address(script) }, trial.maybeSent);
      });

    it.each<[string, Partial<Script>]>([
      ['nothing comes', {}],
      ['the status drips', { says: 'HTTP/1.1 200 O', repeats: 'K', everyMs: 20 }],
      ['headers drip', { says: status, repeats: 'x-more: to come\r\n', everyMs: 20 }],
      ['interim answers without end', { repeats: 'HTTP/1.1 102 Processing\r\n\r\n', everyMs: 5 }],
    ])('waits headersMs for one, and gives the connection up: %s', async (_, script) => {
      const id = uuid();
      const timeouts = { ...LONG, headersMs: SHORT_MS };
      const expected = { ...trial.maybeSent, cause: timeOut('headersMs') };
      await trial.among({ url: trial.address({ ...script, id }), timeouts }, expected, trial.isGivenUp(id));
    });

    it('says that the body may have arrived: reset while it was sent', async () => {
      const url = trial.address({ reads: false, everyMs: 50, ends: 'reset' });
      await trial.among({ url, body: LARGE_BODY }, trial.maybeSent);
    });

    it('takes no longer than totalMs to send what the service does not read', async () => {
      const timeouts = { ...LONG, totalMs: SHORT_MS };
      const request = { url: trial.address({ reads: false }), timeouts, body: LARGE_BODY };
      await trial.among(request, { ...trial.maybeSent, cause: timeOut('totalMs') });
    });

    it('stops waiting for one when its signal aborts', async () => {
      const id = uuid();
      const abort = new AbortController();
      const arrived = expect.poll(() => trial.seen(id)).toMatchObject([{ isWhole: true }]);
      const request = { url: trial.address({ id }), signal: abort.signal };
      const given = trial.among(request, trial.maybeSent, trial.isGivenUp(id));
      await arrived;
      abort.abort(new Error('enough'));
      await given;
    });
  });
}

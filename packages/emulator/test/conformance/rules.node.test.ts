// Sections 5 to 9 of the interface document: authentication, events, errors, limits and versions.
import { describe, expect, it } from 'vitest';
import { describeInterface, expectError, expectSuccess, MINIMAL, send } from './interface.ts';

describeInterface('email', (service) => {
  describe('5 authentication', () => {
    const key = () => service.emulator.apiKey;
    const asks = [
      (authorization: string) =>
        send('POST', service.eventsUrl, service.headers(authorization), JSON.stringify({ batch: [MINIMAL] })),
      (authorization: string) =>
        send('POST', service.readUrl, service.headers(authorization), '{"primary_key":"ada@example.com"}'),
    ];

    it.each([0, 1])(
      'rules 1 and 2: endpoint %d takes Authorization: Api-Key <API_KEY>, and no other form of it',
      async (at) => {
        const ask = asks[at] ?? expect.fail();
        expectSuccess(await ask(`Api-Key ${key()}`));
        for (const wrong of [
          '',
          key(),
          `Bearer ${key()}`,
          `Api-Key${key()}`,
          `Api-Key  ${key()}`,
          `Api-Key ${key()}x`,
          'Api-Key ',
        ]) {
          expectError(await ask(wrong));
        }
      },
    );

    it('rule 3: the API key is found in the settings', async () => {
      const { text } = await send('GET', `${service.emulator.apiUrl}/emulator/keys`, {});
      expect(JSON.parse(text).keys).toMatchObject([{ key: key() }]);
    });
  });

  it('6: event names and payload keys are defined by the sender', async () => {
    const before = await service.count();
    const batch = [
      'purchase',
      'agree_to_marketing',
      'onboarding_started',
      'checking_out',
      'marketing_agreed',
      'Ein eigener Name ✓',
    ].map((event, index) => ({ ...MINIMAL, event, payload: { [`key ${index}`]: index } }));
    expectSuccess(await service.post({ batch }));
    expect((await service.tracked(before)).map(({ event }) => event)).toEqual(batch);
  });

  it('7.1: reading a customer that does not exist returns an error', async () => {
    const answer = await service.read('');
    expectError(answer);
    expectError(await service.read('nobody'));
  });

  it('8: batches of any size from one event upward are taken, up to a limit that the document does not show', async () => {
    const { maxEvents } = service.emulator.behaviour;
    for (const size of [1, 2, 100, maxEvents ?? 5_000]) {
      const before = await service.emulator.countEvents();
      expectSuccess(await service.post({ batch: Array.from({ length: size }, () => MINIMAL) }));
      expect((await service.emulator.countEvents()).unique).toBe(before.unique + size);
    }
  });

  it('9: the paths have no version marker', async () => {
    for (const path of ['/v1/api/events/batch/', '/api/v1/events/batch/']) {
      expectError(
        await send(
          'POST',
          service.emulator.baseUrl + path,
          service.headers(),
          JSON.stringify({ batch: [MINIMAL] }),
        ),
      );
    }
    expectError(
      await send(
        'POST',
        `${service.emulator.apiUrl}/v1/customers/read`,
        service.headers(),
        '{"primary_key":"ada@example.com"}',
      ),
    );
  });
});

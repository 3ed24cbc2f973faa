// Section 2 of the interface document: resources and their fields.
import { describe, expect, it } from 'vitest';
import { ADA, describeInterface, expectError, expectSuccess, FULL, MINIMAL } from './interface.ts';

describeInterface('email', (service) => {
  describe('2.1 batch', () => {
    it('is an array of events, and required', async () => {
      for (const body of [
        {},
        { batch: null },
        { batch: MINIMAL },
        { batch: '[]' },
        { events: [MINIMAL] },
        [MINIMAL],
        MINIMAL,
      ]) {
        expectError(await service.post(body));
      }
    });

    it('holds at least one event', async () => {
      expectError(await service.post({ batch: [] }));
    });
  });

  describe('2.2 event', () => {
    const required = ['event', 'correlationKey', 'correlationValue', 'source'] as const;

    it.each(required)('rule 1: every event must contain %s', async (field) => {
      const { [field]: _left, ...without } = MINIMAL;
      await service.expectNotIngested(without);
    });

    it.each(required)('field %s is a string', async (field) => {
      for (const value of [7, true, null, {}, ['x']])
        await service.expectNotIngested({ ...MINIMAL, [field]: value });
    });

    it('field correlationKey is always the primary key that was set up', async () => {
      await service.expectNotIngested({ ...MINIMAL, correlationKey: 'phone_number' });
    });

    it('field source is custom in the minimum event, mobile in samples, and others are not ruled out', async () => {
      const before = await service.count();
      const batch = ['custom', 'mobile', 'web'].map((source) => ({ ...MINIMAL, source }));
      expectSuccess(await service.post({ batch }));
      expect((await service.tracked(before)).map(({ event }) => event)).toEqual(batch);
    });

    it('fields timestamp, uuid and payload may be left out, and are kept where they are given', async () => {
      const before = await service.count();
      const { timestamp, uuid, payload } = FULL;
      const batch = [MINIMAL, { ...MINIMAL, timestamp }, { ...MINIMAL, payload }, { ...MINIMAL, uuid }];
      expectSuccess(await service.post({ batch }));
      expect((await service.tracked(before)).map(({ event }) => event)).toEqual(batch);
    });

    it('field timestamp is ISO 8601 UTC with milliseconds', async () => {
      for (const timestamp of [
        '2026-11-21',
        '2026-11-21T10:15:30Z',
        '2026-11-21T10:15:30.000+01:00',
        '2026-02-30T00:00:00.000Z',
        1_795_000_000_000,
      ]) {
        await service.expectNotIngested({ ...MINIMAL, timestamp });
      }
    });

    it('field uuid is a UUID', async () => {
      for (const uuid of ['7', '', 'g'.repeat(36), 7]) await service.expectNotIngested({ ...MINIMAL, uuid });
    });

    it('field payload is an object, in which keys, types and nesting are free', async () => {
      for (const payload of ['text', 7, [], true]) await service.expectNotIngested({ ...MINIMAL, payload });
      const before = await service.count();
      const payload = {
        ...FULL.payload,
        '': 0,
        'a.b': { c: { d: [[[{}]]] } },
        __emoji__: '🌊',
        long: 'x'.repeat(10_000),
      };
      expectSuccess(await service.post({ batch: [{ ...MINIMAL, payload }] }));
      expect((await service.tracked(before))[0]?.event).toEqual({ ...MINIMAL, payload });
    });

    it('rules 2 and 3: names, shapes and sources may differ in one batch, names and correlation values may be shared', async () => {
      const before = await service.count();
      const batch = [
        { ...MINIMAL, event: 'onboarding_started', source: 'mobile', payload: { step: 1 } },
        { ...MINIMAL, event: 'onboarding_started', payload: { step: { name: 'two' } } },
        { ...MINIMAL, event: 'item_to_cart', correlationValue: 'bob@example.com' },
        { ...MINIMAL, event: 'item_to_cart' },
      ];
      expectSuccess(await service.post({ batch }));
      expect((await service.tracked(before)).map(({ event }) => event)).toEqual(batch);
    });

    it('rule 4: the order of properties is irrelevant', async () => {
      const before = await service.emulator.countEvents();
      const reversed = Object.fromEntries(Object.entries(FULL).toReversed());
      expectSuccess(
        await service.post({ batch: [{ ...reversed, uuid: '11111111-2222-4333-8444-555555555555' }] }),
      );
      expect((await service.emulator.countEvents()).unique).toBe(before.unique + 1);
    });
  });

  describe('2.3 customer', () => {
    it('is a document of key/value pairs, identified by its primary key value', async () => {
      const [ada, bob] = await Promise.all(
        ['ada@example.com', 'bob@example.com'].map((value) => service.read(value)),
      );
      expect(JSON.parse(ada?.text ?? '')).toMatchObject(ADA);
      expect(JSON.parse(bob?.text ?? '')).not.toHaveProperty('first_name');
    });

    it('field primary_key is the primary key of the customer that was found, where the answer has it', async () => {
      const { primary_key: found } = JSON.parse((await service.read('ada@example.com')).text);
      expect(found).toBe(service.preset === 'quiet' ? undefined : 'ada@example.com');
    });
  });
});

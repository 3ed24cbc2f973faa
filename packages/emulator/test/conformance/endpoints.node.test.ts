// Sections 1 and 4 of the interface document: what the service does, and its two endpoints.
import { describe, expect, it } from 'vitest';
import { ADA, describeInterface, expectError, expectSuccess, FULL, MINIMAL, send } from './interface.ts';

describeInterface('email', (service) => {
  it('preface: the two endpoints are published on different base addresses', async () => {
    expect(service.emulator.baseUrl).not.toBe(service.emulator.apiUrl);
    expectError(
      await send(
        'POST',
        `${service.emulator.apiUrl}/api/events/batch/`,
        service.headers(),
        JSON.stringify({ batch: [MINIMAL] }),
      ),
    );
    expectError(
      await send(
        'POST',
        `${service.emulator.baseUrl}/customers/read`,
        service.headers(),
        '{"primary_key":"ada@example.com"}',
      ),
    );
  });

  it('1.1: events are ingested in batches, attributed to a customer, and show up in the event tracker', async () => {
    const mine = { ...MINIMAL, event: 'agree_to_marketing' };
    const nobodys = { ...mine, correlationValue: 'nobody@example.com' };
    expectSuccess(await service.post({ batch: [mine, nobodys] }));
    expect(await service.tracked()).toEqual([
      { event: mine, name: 'agree_to_marketing', attributed: true },
      { event: nobodys, name: 'agree_to_marketing', attributed: false },
    ]);
  });

  it('1.2: the stored attributes of one existing customer are returned, looked up by primary key', async () => {
    const answer = await service.read('ada@example.com');
    expectSuccess(answer);
    expect(JSON.parse(answer.text)).toMatchObject(ADA);
  });

  describe('4.1 sending a batch', () => {
    const batch = JSON.stringify({ batch: [MINIMAL] });

    it('takes the method POST', async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        expectError(await send(method, service.eventsUrl, service.headers(), method === 'GET' ? '' : batch));
      }
      expectSuccess(await send('POST', service.eventsUrl, service.headers(), batch));
    });

    it('is at {base_url}/api/events/batch/, with the trailing slash', async () => {
      expectSuccess(
        await send('POST', `${service.emulator.baseUrl}/api/events/batch/`, service.headers(), batch),
      );
      for (const path of ['/api/events/batch', '/api/events/', '/events/batch/', '/api/events/batch//']) {
        expectError(await send('POST', service.emulator.baseUrl + path, service.headers(), batch));
      }
    });

    it('needs the headers Authorization and Content-Type: application/json', async () => {
      const { Authorization, ...type } = service.headers();
      expectError(await send('POST', service.eventsUrl, type, batch));
      expectError(await send('POST', service.eventsUrl, { Authorization: Authorization ?? '' }, batch));
      expectError(
        await send('POST', service.eventsUrl, { ...service.headers(), 'Content-Type': 'text/plain' }, batch),
      );
    });

    it('has a JSON object as body', async () => {
      for (const body of ['', 'batch', '[]', '7', '{"batch":[', 'null']) {
        expectError(await send('POST', service.eventsUrl, service.headers(), body));
      }
    });

    it('has the effect that events become visible in the event tracker', async () => {
      const before = await service.count();
      expectSuccess(
        await service.post({ batch: [FULL, { ...FULL, event: 'checking_out', uuid: undefined }] }),
      );
      const names = (await service.tracked(before)).map(({ name }) => name);
      expect(names).toEqual(['purchase', 'checking_out']);
    });

    it('rule 1: a batch with one event is valid', async () => {
      expectSuccess(await service.post({ batch: [MINIMAL] }));
    });

    it('rule 2: each event is matched to a user by the pair of correlationKey and correlationValue', async () => {
      const before = await service.count();
      const values = ['bob@example.com', 'BOB@example.com', 'ada@example.com', 'Ada'];
      expectSuccess(
        await service.post({ batch: values.map((correlationValue) => ({ ...MINIMAL, correlationValue })) }),
      );
      const attributed = (await service.tracked(before)).map((each) => each.attributed);
      expect(attributed).toEqual([true, false, true, false]);
    });
  });

  describe('4.2 reading a customer', () => {
    const body = '{"primary_key":"ada@example.com"}';

    it('takes the method POST', async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        expectError(await send(method, service.readUrl, service.headers(), method === 'GET' ? '' : body));
      }
      expectSuccess(await send('POST', service.readUrl, service.headers(), body));
    });

    it('is at {api_url}/customers/read, without a trailing slash', async () => {
      expectSuccess(await send('POST', `${service.emulator.apiUrl}/customers/read`, service.headers(), body));
      for (const path of ['/customers/read/', '/customers', '/api/customers/read']) {
        expectError(await send('POST', service.emulator.apiUrl + path, service.headers(), body));
      }
    });

    it('needs the headers Authorization and Content-Type: application/json', async () => {
      const { Authorization, ...type } = service.headers();
      expectError(await send('POST', service.readUrl, type, body));
      expectError(await send('POST', service.readUrl, { Authorization: Authorization ?? '' }, body));
    });

    it('has a JSON object with primary_key, a string, as body', async () => {
      for (const wrong of [
        '',
        '[]',
        '{}',
        '"ada@example.com"',
        '{"primary_key":7}',
        '{"primary_key":null}',
        '{"email":"ada@example.com"}',
      ]) {
        expectError(await send('POST', service.readUrl, service.headers(), wrong));
      }
    });

    it('rule 1: the lookup is by the value against the selected primary key, not against other attributes', async () => {
      expectSuccess(await service.read('ada@example.com'));
      expectError(await service.read('Ada'));
      expectError(await service.read(ADA.phone_number));
    });

    it("rule 2: the response is the existing customer's stored key/value pairs", async () => {
      const { primary_key: _shown, ...pairs } = JSON.parse((await service.read('ada@example.com')).text);
      expect(pairs).toEqual(ADA);
    });

    it('rule 3: where no such customer exists, an error is returned', async () => {
      expectError(await service.read('nobody@example.com'));
    });
  });
});

describeInterface(undefined, (service) => {
  it('1 and 4.2 rule 4: both endpoints may be used only after one has been selected', async () => {
    expectError(await service.post({ batch: [MINIMAL] }));
    expectError(await service.read('ada@example.com'));
    const select = `${service.emulator.apiUrl}/emulator/primary-key`;
    expectSuccess(await send('PUT', select, service.headers(), '{"primaryKey":"email"}'));
    await service.emulator.addCustomers([ADA]);
    expectSuccess(await service.post({ batch: [MINIMAL] }));
    expectSuccess(await service.read('ada@example.com'));
  });
});

import { CUSTOMER_READ_PATH, EVENTS_PATH, requestHeaders } from '@sluice/protocol';
import Libsql from 'libsql';
import { afterAll, describe, expect, it } from 'vitest';
import { type Logger, startEmulator } from '../src/index.ts';
import { addRoutes, createApplication } from '../src/running/application.ts';
import { ask, event, post, send } from './service.ts';

const lines: { level: string; data: object; message: string }[] = [];
const note = (level: string) => (data: object, message: string) => void lines.push({ level, data, message });
const logger: Logger = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };

const emulator = await startEmulator({ primaryKey: 'email', apiKey: 'canary-key', logger });
afterAll(() => emulator.close());
const urls = [emulator.baseUrl + EVENTS_PATH, emulator.apiUrl + CUSTOMER_READ_PATH];

describe('a page of another origin', () => {
  it.each(urls)('may post to %s, by an explicit preflight answer that lasts', async (url) => {
    const { status, headers } = await ask(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(status).toBe(204);
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type,content-encoding',
      'access-control-max-age': '7200',
    });
  });

  it.each(urls)('can read every answer of %s, and when to come back', async (url) => {
    const answers = [
      await post(url, emulator.apiKey, '{"batch":['),
      await post(url, 'wrong', '{}'),
      await post(`${url}x`, emulator.apiKey, '{}'),
      await ask(url),
      await send(emulator, { batch: [event()] }),
    ];
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toBe('Date,Retry-After');
    }
  });
});

describe('the log', () => {
  it('tells of requests and refusals, and never holds a key or a payload', async () => {
    lines.length = 0;
    await send(emulator, { batch: [event({ event: 'logged', payload: { secret: 'canary-payload' } })] });
    await post(emulator.baseUrl + EVENTS_PATH, 'canary-wrong', '{"canary-payload":');
    await ask(`${emulator.apiUrl}/emulator/events?name=x`, { headers: requestHeaders(emulator.apiKey) });
    expect(lines).toMatchObject([
      { level: 'debug', data: { method: 'POST', path: EVENTS_PATH, status: 200 }, message: 'request' },
      { level: 'info', data: { status: 403, code: 'unknown_api_key' }, message: 'request refused' },
      { level: 'debug', data: { status: 403 }, message: 'request' },
      { level: 'debug', data: { method: 'GET', path: '/emulator/events', status: 200 }, message: 'request' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('tells of a defect, which the answer only says to be one', async () => {
    lines.length = 0;
    const application = createApplication({
      logger,
      ...{ here: [], isElsewhere: () => false, otherUrl: () => '', begin: () => undefined },
    });
    const defect = new Error('canary');
    addRoutes(application, '/broken', {
      GET: () => {
        throw defect;
      },
    });
    const answer = await application.request('/broken');
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({
      error: { code: 'internal_error', message: expect.stringContaining('its log says more') },
    });
    expect(lines).toContainEqual({
      level: 'error',
      data: { method: 'GET', path: '/broken', err: defect },
      message: 'request failed',
    });
  });

  it('tells of a full disk, and the answer says so', async () => {
    lines.length = 0;
    const application = createApplication({
      logger,
      ...{ here: [], isElsewhere: () => false, otherUrl: () => '', begin: () => undefined },
    });
    const database = new Libsql(':memory:');
    database.exec('PRAGMA max_page_count = 2; CREATE TABLE rows (value)');
    addRoutes(application, '/store', {
      GET: () => {
        database.prepare('INSERT INTO rows VALUES (zeroblob(100000))').run();
        return new Response();
      },
    });
    const answer = await application.request('/store');
    expect(answer.status).toBe(507);
    expect(await answer.json()).toEqual({
      error: { code: 'storage_full', message: expect.stringContaining('Make room on it, then send again') },
    });
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'request failed' }));
    database.close();
  });
});

import { expect, it } from 'vitest';
import { startEmulator } from '../../src/index.ts';
import { event, sendEvents } from '../service.ts';

it('an export has nothing in place of events that are removed meanwhile', async () => {
  await using other = await startEmulator({ primaryKey: 'email' });
  const large = event({ payload: { text: 'x'.repeat(1_000_000) } });
  await sendEvents(other, ...Array.from({ length: 20 }, () => large));
  const { body } = await fetch(`${other.apiUrl}/emulator/events/export`);
  await other.clear();
  const lines = (await new Response(body).text()).trimEnd().split('\n');
  expect(lines.length).toBeLessThan(20);
  for (const line of lines) expect(JSON.parse(line)).toEqual(large);
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { whyNoPostgres } from '@sluice/test-servers';
import { expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
/** Only a hang takes so long. */
const HANG_MS = 20 * 60_000;

it.skipIf(whyNoPostgres())(
  'loses nothing while the primary, a relay and a forwarder are killed',
  async () => {
    const args = [MAIN, '--kill', 'forwarder,primary,relay'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: HANG_MS });
    expect(stdout).toMatch(/fleet: taken [1-9]\d*, lost 0, twice \d+\n$/);
    expect(stdout).toContain('the standby is the primary now');
  },
);

it('says what can be killed', async () => {
  const run = promisify(execFile)(process.execPath, [MAIN, '--kill', 'everything']);
  await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('forwarder') });
});

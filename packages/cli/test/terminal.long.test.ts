import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { platform } from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { leaveEvents, makeFolder, startService } from './folder.ts';
import { MAIN } from './sluice-process.ts';

const SCRIPT = '/usr/bin/script';
const [NO_WRAP, WRAP] = ['\u001b[?7l', '\u001b[?7h'];
const CTRL_C = '\u0003';

it.runIf(platform === 'linux' && existsSync(SCRIPT))(
  'the terminal wraps lines again after a second Ctrl-C, which ends the process at once',
  async () => {
    const [folder, { emulator, env }] = [makeFolder(), await startService()];
    await leaveEvents(folder, 10);
    emulator.fail({ kind: 'status', status: 503 });
    const line = `'${process.execPath}' '${MAIN}' drain '${folder}'`;
    const { PATH = '' } = process.env;
    const child = spawn(SCRIPT, ['-qec', line, '/dev/null'], { env: { PATH, TERM: 'xterm', ...env } });
    onTestFinished(() => void child.kill('SIGKILL'));
    let shown = '';
    // One when the bar is there, and one when it is drawn again: then the first one has come.
    const keys = [/events/, /\^C.*events/s];
    for await (const text of child.stdout) {
      shown += text;
      if (!keys[0]?.test(shown)) continue;
      child.stdin.write(CTRL_C);
      keys.shift();
    }
    expect(keys).toEqual([]);
    expect(shown).not.toContain('delivered');
    expect(shown.indexOf(NO_WRAP)).toBeGreaterThanOrEqual(0);
    expect(shown.indexOf(WRAP)).toBeGreaterThan(shown.indexOf(NO_WRAP));
  },
);

import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isFull } from '../../../../testing/full.ts';
import { PATIENCE } from '../../../../testing/patience.ts';
import { API_KEY, leaveLetters, makeFolder, startService } from '../folder.ts';
import { damage, fill } from './journals.ts';
import { firstOutput, firstProgress, Terminal, withoutFigures } from './terminal.ts';

/** `FULL=1`, as in `npm run soak`, runs the commands on a million events and all flights, and writes the document. */
const [EVENTS, FLIGHTS] = isFull ? [1_000_000, Number.POSITIVE_INFINITY] : [40_000, 30_000];
/** Two files of a journal, and some events in a third. */
const DAMAGED = 60_000;
const FLIGHTS_FILE = new URL('../../node_modules/vega-datasets/data/flights-200k.json', import.meta.url);
const DOCUMENT = new URL('../../SESSIONS.md', import.meta.url);
const TITLE = `# Sessions with \`sluice\`

What each command prints, on a journal of a million events, on a damaged one, on one that is in use, and for nonsense. A test makes this
page: it runs the commands. To run them with all events, and write the page anew, after a build:

    FULL=1 npx vitest run --project long packages/cli/test/sessions

Progress is a bar at a terminal. Here nobody looks, so it is a line every five seconds. \`SLUICE_BASE_URL\`, \`SLUICE_CORRELATION_KEY\` and
\`SLUICE_API_KEY\` are set.
`;

it('prints what SESSIONS.md shows', async () => {
  const [folder, { emulator, env }] = [makeFolder(), await startService()];
  const journal = (name: string) => join(folder, name);
  const { origin, port } = new URL(emulator.baseUrl);
  const places = new Map([
    [folder, '/data'],
    [origin, 'http://127.0.0.1:4100'],
    [`port ${port}`, 'port 4100'],
  ]);
  const terminal = new Terminal(TITLE, folder, env, places);
  const running = await fill(journal('in-use'), 300);
  onTestFinished(async () => void (await running.close({ timeoutMs: 0 })));
  for (const [name, events] of [
    ['million', EVENTS],
    ['damaged', DAMAGED],
  ] as const)
    await (await fill(journal(name), events)).close({ timeoutMs: 0 });
  await damage(journal('damaged'));
  await leaveLetters(journal('letters'), emulator);
  await mkdir(journal('open'));
  await chmod(journal('open'), 0o777);
  await writeFile(journal('file'), '');

  terminal.heading('inspect');
  await terminal.session(
    'A journal of a million events that a process left:',
    'sluice inspect /data/million',
  );
  await terminal.session('One that is in use:', 'sluice inspect /data/in-use');
  await terminal.session('A damaged one:', 'sluice inspect /data/damaged');
  await terminal.session('With dead letters:', 'sluice inspect /data/letters');
  await terminal.session(
    'Nonsense:',
    'sluice inspect /data/nowhere',
    'sluice inspect /data/file',
    'sluice inspect /data/open',
    "sluice inspect ''",
    'sluice inspekt',
    'sluice inspect --follow=3',
  );

  terminal.heading('verify');
  await terminal.session('A million events:', 'sluice verify /data/million');
  await terminal.session('A journal in use:', 'sluice verify /data/in-use');
  await terminal.session(
    'A damaged one:',
    'sluice verify /data/damaged',
    'sluice verify /data/damaged --json',
  );
  await terminal.session(
    'Nonsense:',
    'sluice verify',
    'sluice verify /data',
    'sluice verify /data/nowhere --json',
  );

  terminal.heading('drain');
  const wrong = { ...env, SLUICE_API_KEY: 'wrong' };
  await terminal.session('A wrong key:', { line: 'sluice drain /data/million', env: wrong });
  await terminal.session(
    'A million events, ended by Ctrl-C, and what is left then:',
    { line: 'sluice drain /data/million --rate 4000', endsAfter: firstProgress },
    'sluice verify /data/million',
    'sluice drain /data/million',
    'sluice inspect /data/million',
  );
  await terminal.session(
    'A damaged journal: what is intact is delivered, the rest is counted and set aside.',
    'sluice drain /data/damaged',
    'sluice inspect /data/damaged',
  );
  await terminal.session('One that is in use:', 'sluice drain /data/in-use');
  await terminal.session(
    'Nonsense:',
    'sluice drain /data/in-use --rate fast',
    'sluice drain /data/in-use --until yesterday',
    'sluice drain /data/in-use --api-key 4711',
    { line: 'sluice drain /data/in-use', env: {} },
  );

  terminal.heading('dead-letters');
  await terminal.session(
    'Three dead letters:',
    'sluice dead-letters list /data/letters',
    'sluice dead-letters list /data/letters --event refund --json',
    'sluice dead-letters replay /data/letters --event refund',
    'sluice dead-letters purge /data/letters --older-than 30d',
    'sluice dead-letters purge /data/letters --all',
    'sluice dead-letters list /data/letters',
  );
  await terminal.session(
    'A journal in use, and nonsense:',
    'sluice dead-letters replay /data/in-use',
    'sluice dead-letters show /data/in-use no-such-id',
    'sluice dead-letters purge /data/in-use',
    'sluice dead-letters list /data/in-use --status many',
  );

  terminal.heading('send');
  const rows: unknown[] = JSON.parse(await readFile(FLIGHTS_FILE, 'utf8'));
  await writeFile(journal('flights-200k.json'), JSON.stringify(rows.slice(0, FLIGHTS)));
  const send =
    'sluice send flights-200k.json --event flight --customer fleet@example.com --journal /data/flights';
  const hasPosition = async () =>
    (await readdir(journal('flights/sends'))).some((name) => name.endsWith('.json'));
  await emulator.suspend();
  const isUnderWay = () => vi.waitFor(async () => expect(await hasPosition()).toBe(true), PATIENCE);
  await terminal.session('A file of flights, while the service does not answer. The process is killed:', {
    ...{ line: send, endsAfter: isUnderWay, signal: 'SIGKILL' },
  });
  await emulator.resume();
  await terminal.session(
    'Started again, it goes on. The third time, there is nothing left to do:',
    send,
    send,
  );
  await writeFile(
    journal('some.ndjson'),
    '{"event":"login","correlationValue":"ada@example.com"}\n{"event":\n{"event":"login","colour":"red"}\n',
  );
  await writeFile(
    journal('users.csv'),
    'email,plan,seats\nada@example.com,free,1\nbob@example.com,team,many\n',
  );
  await terminal.session('Bad records:', 'sluice send some.ndjson --journal /data/some');
  await terminal.session(
    'CSV:',
    'sluice send users.csv --event signed_up --map correlationValue=mail --journal /data/some',
    'sluice send users.csv --event signed_up --map correlationValue=email --numbers seats --journal /data/some',
  );
  await terminal.session(
    'Nonsense:',
    'sluice send',
    'sluice send nothing.ndjson',
    'sluice send /data',
    'sluice send users.csv --format xml',
    'sluice send users.csv --map colour=red',
  );

  terminal.heading('doctor');
  await terminal.session('All is well:', 'sluice doctor /data/million');
  const broken = {
    ...env,
    SLUICE_BASE_URL: 'http://127.0.0.1:9',
    HTTP_PROXY: 'http://proxy.example.com:3128',
  };
  await terminal.session(
    'A wrong key; no service and a directory that others may write to; nonsense:',
    { line: 'sluice doctor /data/in-use', env: wrong },
    { line: 'sluice doctor /data/open', env: broken },
    { line: 'sluice doctor', env: { SLUICE_BASE_URL: 'nonsense' } },
  );

  const relay = {
    ...env,
    SLUICE_RELAY_PORT: '0',
    SLUICE_RELAY_SECRET: 'a secret of at least thirty-two characters',
    SLUICE_RELAY_JWT: JSON.stringify({ algorithm: 'HS256', audience: 'a', keys: { a: 'k'.repeat(32) } }),
    SLUICE_RELAY_DIRECTORY: journal('relay'),
  };
  terminal.heading('emulator and relay');
  await terminal.session(
    'They print one line of JSON, and end on Ctrl-C:',
    { line: 'sluice emulator --port 0 --api-port 0 --primary-key email', endsAfter: firstOutput },
    { line: 'sluice relay', env: relay, endsAfter: firstOutput },
  );
  await terminal.session(
    'Nonsense:',
    `sluice emulator --port ${port}`,
    'sluice emulator --port x',
    { line: 'sluice relay', env: { ...relay, SLUICE_RELAY_PORT: port } },
    'sluice relay',
    'sluice relay --port 80',
  );

  terminal.heading('Help');
  await terminal.session('All commands:', 'sluice --help', 'sluice drain --help');

  expect(terminal.text).not.toContain(API_KEY);
  if (isFull) await writeFile(DOCUMENT, terminal.text);
  expect(withoutFigures(terminal.text)).toBe(withoutFigures(await readFile(DOCUMENT, 'utf8')));
});

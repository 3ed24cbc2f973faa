import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTracking } from '../../../children/tracking-process.ts';
import { Place } from '../place.ts';

/** Asks whether the owner of a lock is alive, as another process does. Returns the code of the error, if there is one. */
async function visit(lock: string): Promise<unknown> {
  const socket = connect(lock);
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return Reflect.get(Object(error), 'code');
  } finally {
    socket.destroy();
  }
}

// Other systems refuse such a connection as if the process were dead.
describe.runIf(process.platform === 'linux')('a process that is stopped', () => {
  it('keeps its slot, though so many have asked for it that its lock takes no more connections', async () => {
    const place = await Place.create();
    const { directory } = place;
    onTestFinished(() => place.remove());
    const end = 'wait to be killed once durable';
    const owner = startTracking({ baseUrl: 'http://127.0.0.1:9', directory, first: 0, count: 3, end });
    onTestFinished(() => void owner.kill('SIGKILL'));
    await once(owner, 'message');
    owner.kill('SIGSTOP');
    const [lock = ''] = await place.files('.lock');
    let answer: unknown;
    while (answer === undefined) answer = await visit(lock);
    expect(answer).toBe('EAGAIN');

    const { journal, witness } = await place.open();
    expect(witness).toMatchObject({ ranges: [], failures: [] });
    await journal.close();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(await place.inherited()).toHaveLength(3);
  });
});

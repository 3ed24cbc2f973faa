import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VirtualClock } from '../../../testing/virtual-clock.ts';
import { failureLog } from '../src/failure-log.ts';

/** A failure log, and what it has written. */
function open() {
  const clock = new VirtualClock();
  const logged: string[] = [];
  const error = (data: object, message: string) =>
    void logged.push(`${message}: ${Reflect.get(data, 'err').message}`);
  const logger = { debug() {}, info() {}, warn() {}, error };
  return { clock, logged, log: failureLog({ clock, logger, redact: (text) => text }) };
}

describe('the log of failures', () => {
  it('has each failure once in ten seconds, also where another one has the same message', () => {
    const { clock, log, logged } = open();
    for (const cause of ['a', 'b', 'a', 'b']) log(new Error(cause), 'a request failed');
    expect(logged).toEqual(['a request failed: a', 'a request failed: b']);
    clock.advance(10_000);
    log(new Error('a'), 'a request failed');
    expect(logged).toHaveLength(3);
  });

  it('has few lines of a message whose causes are different each time, and others all the same', () => {
    const { clock, log, logged } = open();
    const fail = () => {
      for (let request = 0; request < 1_000; request += 1) log(new Error(`request ${request}`), 'one');
    };
    fail();
    expect(logged).toHaveLength(8);
    log(new Error('x'), 'another');
    expect(logged).toHaveLength(9);
    clock.advance(10_000);
    fail();
    expect(logged).toHaveLength(17);
  });

  it('has one line for each failure on the console, whatever control characters the service or a page wrote', () => {
    const written = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => written.mockRestore());
    const log = failureLog({ clock: new VirtualClock(), redact: (text) => text });
    log(new Error('answered "a\r\nSluice: all is well\u2028\u001b[2J\u009b1m"'), 'a request failed');
    expect(written.mock.calls).toEqual([['a request failed: answered "a Sluice: all is well [2J 1m"']]);
  });
});

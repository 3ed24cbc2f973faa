// What must hold on each runtime. Each check starts applications (application.mjs) in a directory of its own, and counts what the
// emulator got.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const APPLICATION = fileURLToPath(new URL('application.mjs', import.meta.url));
/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:9';
/** For a machine that does much else: nine applications start at once on each of two runtimes. */
const HANG_MS = 180_000;
/** Before an application is taken to hang, it says what is pending, and why. */
const FLUSH_MS = HANG_MS - 30_000;
const CUSTOMER = 'ada@example.com';

/**
 * @typedef {readonly string[]} Command the runtime, and its arguments
 * @typedef {Awaited<ReturnType<typeof import('@sluice/emulator').startEmulator>>} Emulator
 */

/** One check: a directory, a name for its events, and the applications that it starts. */
class Stage {
  /** @param {Command} command @param {Emulator} emulator @param {string} name */
  constructor(command, emulator, name) {
    this.command = command;
    this.emulator = emulator;
    this.name = name;
    this.directory = mkdtempSync(join(tmpdir(), 'sluice-runtime-'));
  }

  /**
   * Starts an application, and waits until it tells something or ends.
   * @param {string} role @param {object} [options]
   */
  async start(role, options) {
    const { apiKey, apiUrl, baseUrl } = this.emulator;
    const journalDirectory = join(this.directory, 'journal');
    const task = {
      ...{ role, name: this.name, apiKey, apiUrl, baseUrl, customer: CUSTOMER, journalDirectory },
      timeoutMs: FLUSH_MS,
    };
    const [program = '', ...args] = this.command;
    const child = spawn(program, [...args, APPLICATION, JSON.stringify({ ...task, ...options })], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: HANG_MS,
      killSignal: 'SIGKILL',
    });
    const errors = text(child.stderr);
    /** @type {Promise<number | string>} */
    const ending = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(signal ?? code ?? 'an unknown end'));
    });
    const line = await Promise.race([
      new Promise((resolve) => child.stdout.once('data', resolve)),
      ending.then(() => undefined),
    ]);
    return { told: line && JSON.parse(String(line)), child, ending, errors };
  }

  /** Runs an application to its end. Returns what it told. @param {string} role @param {object} [options] */
  async run(role, options) {
    const { told, ending, errors } = await this.start(role, options);
    const end = await ending;
    if (end !== 0) throw new Error(`"${role}" ended with ${end}: ${await errors}`);
    return told;
  }

  /** @param {number} count */
  async expectDelivered(count) {
    const { unique, received } = await this.emulator.countEvents({ name: this.name });
    expect('events at the service', { unique, received }, { unique: count, received: count });
  }
}

/** @param {string} what @param {unknown} actual @param {unknown} expected */
function expect(what, actual, expected) {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}

/**
 * Applications end in these ways, with events in memory. The next one must find them all.
 * @param {number | string} end
 * @param {readonly string[]} ways
 */
function ends(end, ...ways) {
  return async (/** @type {Stage} */ stage) => {
    let count = 0;
    for (const way of ways.filter((way) => !way.startsWith('Deno') || stage.name.startsWith('Deno'))) {
      const settings = { count: 200, baseUrl: NOBODY, commitIntervalMs: 60_000 };
      const { child, ending, errors } = await stage.start(way, settings);
      if (way === 'SIGTERM') child.kill('SIGTERM');
      const actual = await ending;
      if (actual !== end) throw new Error(`${way}: ended with ${actual}, not ${end}: ${await errors}`);
      expect(`after ${way}`, await stage.run('inherit'), { recovered: 200, pending: 0 });
      count += 200;
      await stage.expectDelivered(count);
    }
  };
}

const told = { pending: 0, recovered: 0 };

/** By name. @type {Record<string, (stage: Stage) => Promise<void>>} */
export const CHECKS = {
  async deliver(stage) {
    const actual = await stage.run('deliver', { count: 5_000, compress: true });
    expect('the application', actual, { ...told, delivered: 5_000, published: 5_000, journal: 'file' });
    await stage.expectDelivered(5_000);
  },
  async memory(stage) {
    const options = { journal: 'memory', journalDirectory: undefined };
    const actual = await stage.run('deliver', { count: 1_000, ...options });
    expect('the application', actual, { ...told, delivered: 1_000, published: 1_000, journal: 'memory' });
    await stage.expectDelivered(1_000);
  },
  /** While the owner of durable events lives, another process leaves them alone. Once it is killed, the next one delivers them. */
  async SIGKILL(stage) {
    const { told, child, ending, errors } = await stage.start('hold', { count: 1_000, baseUrl: NOBODY });
    if (!told) throw new Error(`ended with ${await ending}: ${await errors}`);
    expect('beside a living owner', await stage.run('inherit'), { recovered: 0, pending: 0 });
    child.kill('SIGKILL');
    await ending;
    expect('after its end', await stage.run('inherit'), { recovered: 1_000, pending: 0 });
    await stage.expectDelivered(1_000);
  },
  exit: ends(7, 'process.exit()', 'Deno.exit()'),
  end: ends(0, 'natural end'),
  throw: ends(1, 'uncaught exception', 'unhandled rejection'),
  SIGTERM: ends('SIGTERM', 'SIGTERM'),
  /** A process in the background delivers what a short one left. */
  async background(stage) {
    await stage.run('drain in background', { count: 200, exitBudgetMs: 0 });
    await stage.emulator.waitForEvents(200, { filter: { name: stage.name }, timeoutMs: HANG_MS });
    await stage.expectDelivered(200);
  },
  async customer(stage) {
    const actual = await stage.run('read customer');
    expect('the customer', actual, { customer: await stage.emulator.customer(CUSTOMER) });
  },
};

/** The checks that this system cannot have, and why. @type {Readonly<Record<string, string>>} */
export const SKIPPED = process.platform === 'win32' ? { SIGTERM: 'Windows has no such signal' } : {};

/**
 * Runs one check on a runtime. Returns what went wrong; undefined if nothing did.
 * @param {Command} command @param {Emulator} emulator @param {string} runtime @param {string} name of the check
 */
export async function runCheck(command, emulator, runtime, name) {
  const stage = new Stage(command, emulator, `${runtime}: ${name}`);
  try {
    await CHECKS[name]?.(stage);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    // A process in the background may still write into it.
    rmSync(stage.directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

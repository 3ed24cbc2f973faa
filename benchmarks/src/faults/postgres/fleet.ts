import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@sluice/postgres';
import { type Postgres, startPostgres } from '@sluice/test-servers';
import pg from 'pg';
import type { Audit } from '../../processes/audit.ts';
import { Emulating } from '../emulating.ts';
import { Gate } from '../proxies/gate.ts';
import { createRandom, type Random } from '../random.ts';
import { Member } from './member.ts';
import type { Role } from './messages.ts';
import type { SmallDisk } from './small-disk.ts';

/** How long all may take to arrive once nothing is disturbed any more. */
const DELIVER_MS = 300_000;
const POLL_MS = 250;
/** Between two audits, the emulator has this many times as long as an audit takes. */
const AUDIT_SHARE = 4;
const WRITERS: readonly Role[] = ['tracker', 'publisher', 'outbox'];

export interface FleetOptions {
  readonly seed: number;
  readonly leaseMs: number;
  readonly tickMs: number;
  readonly settings: Readonly<Record<string, string | number>>;
  /** The server's disk. Undefined if it is that of this machine. */
  readonly disk: SmallDisk | undefined;
}

/** A server, the emulator and the processes of a fleet. Between the processes and the server is a gate. */
export class Fleet implements AsyncDisposable {
  readonly gate: Gate;
  readonly leaseMs: number;
  readonly random: Random;
  readonly disk: SmallDisk | undefined;
  readonly #emulator: Emulating;
  readonly #tickMs: number;
  readonly #members: Member[] = [];
  /** Ended with the fleet. */
  readonly owned: { close(): Promise<void> }[] = [];
  /** The primary. */
  server: Postgres;

  private constructor(
    server: Postgres,
    gate: Gate,
    emulator: Emulating,
    { seed, leaseMs, tickMs, disk }: FleetOptions,
  ) {
    this.disk = disk;
    if (disk) this.owned.push(disk);
    this.server = server;
    this.gate = gate;
    this.leaseMs = leaseMs;
    this.#tickMs = tickMs;
    this.random = createRandom(seed);
    this.#emulator = emulator;
  }

  static async start(options: FleetOptions): Promise<Fleet> {
    const { disk, settings } = options;
    const server = await startPostgres({ settings, ...(disk && { parent: disk.path }) });
    const pool = new pg.Pool({ connectionString: server.connectionString });
    await migrate(pool);
    await pool.end();
    const gate = await Gate.start(server.port);
    return new Fleet(server, gate, await Emulating.start(), options);
  }

  /** Starts a process. Resolves once it has begun. */
  async add(role: Role): Promise<Member> {
    const { baseUrl, apiKey } = this.#emulator;
    const member = new Member({
      ...{ role, baseUrl, apiKey, life: this.#members.length, seed: this.random(2 ** 32) },
      connectionString: `postgres://postgres@127.0.0.1:${this.gate.port}/postgres`,
      leaseMs: this.leaseMs,
      tickMs: this.#tickMs,
    });
    this.#members.push(member);
    await member.started;
    return member;
  }

  /** Kills a process, and starts another one in its place. */
  async replace(member: Member): Promise<Member> {
    await member.kill();
    return await this.add(member.settings.role);
  }

  /** Lets all that write finish, then waits until all durable events have arrived. */
  async settle(living: readonly Member[]): Promise<Audit & { readonly problems: readonly string[] }> {
    const isWriter = ({ settings }: Member) => WRITERS.includes(settings.role);
    await Promise.all(living.filter(isWriter).map((member) => member.finish()));
    const expectations = this.#members.map((member) => member.durable);
    const request = { expectations, isComplete: false };
    const deadline = performance.now() + DELIVER_MS;
    let found: Audit;
    for (;;) {
      const start = performance.now();
      found = await this.#emulator.audit(request);
      const now = performance.now();
      if (found.lost === 0 || now > deadline) break;
      // While it looks through millions of events, the emulator answers nobody.
      await pause(POLL_MS + AUDIT_SHARE * (now - start));
    }
    await Promise.all(living.filter((member) => !isWriter(member)).map((member) => member.finish()));
    found = await this.#emulator.audit(request);
    return {
      ...found,
      problems: [...this.#members.flatMap(({ problems }) => problems), ...(await this.#rolledBack())],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member[Symbol.asyncDispose]()));
    await this.gate[Symbol.asyncDispose]();
    await this.#emulator[Symbol.asyncDispose]();
    for (const each of [this.server, ...this.owned]) await each.close();
  }

  /** No event of a transaction that was rolled back may arrive. */
  async #rolledBack(): Promise<string[]> {
    const expectations = this.#members.map((member) => member.rolledBack);
    const { expected, lost } = await this.#emulator.audit({ expectations, isComplete: false });
    return expected > lost ? [`${expected - lost} events arrived that were rolled back`] : [];
  }
}

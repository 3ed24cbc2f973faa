import { setTimeout as pause } from 'node:timers/promises';
import { type Standby, startPgBouncer } from '@sluice/test-servers';
import pg from 'pg';
import type { Fleet } from './fleet.ts';
import type { Member } from './member.ts';

/** What goes wrong with a fleet that works. */
export interface Scenario {
  readonly name: string;
  /** How often, in a full run. */
  readonly tries: number;
  /** Settings of the server. */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** The size of the server's disk, in bytes. Default: it has the disk of this machine. */
  readonly diskBytes?: number;
  /** Before the processes start. */
  prepare?(fleet: Fleet): Promise<void>;
  /** Goes wrong once. It may put other processes into `members`. */
  disturb(fleet: Fleet, members: Member[], isQuick: boolean): Promise<void>;
}

/** A real second between two faults, at most. */
const AWAY_MS = 1_000;
const FULL_MS = 2_000;
const LONG_TRANSACTION_MS = { full: 600_000, quick: 3_000 };
const BOUNCER_POOL = 4;
const MIB = 1024 * 1024;

export const scenarios: readonly Scenario[] = [
  {
    name: 'pg-primary-killed',
    tries: 20,
    disturb: ({ server, random }) => restart(server, 'kill', random(AWAY_MS)),
  },
  {
    name: 'pg-immediate-stop',
    tries: 10,
    disturb: ({ server, random }) => restart(server, 'immediate', random(AWAY_MS)),
  },
  {
    name: 'pg-process-killed',
    tries: 50,
    async disturb(fleet, members) {
      const index = fleet.random(members.length);
      const member = members[index];
      if (member) members[index] = await fleet.replace(member);
    },
  },
  {
    name: 'pg-process-stopped',
    tries: 10,
    async disturb({ leaseMs }, members) {
      const stopped = members.filter((_, index) => index % 2 === 0);
      for (const member of stopped) member.signal('SIGSTOP');
      await pause(leaseMs * 1.5);
      for (const member of stopped) member.signal('SIGCONT');
    },
  },
  {
    name: 'pg-promoted',
    tries: 5,
    disturb: (fleet) => promote(fleet),
  },
  {
    name: 'pg-cancelled-wait',
    tries: 5,
    disturb: (fleet) =>
      promote(fleet, async (standby) => {
        // Commits wait for the standby, which receives nothing. A cancelled wait commits on the primary alone.
        await standby.psql(`alter system set primary_conninfo = ''`);
        await standby.set({});
        await pause(fleet.random(AWAY_MS));
        await fleet.server.psql(
          `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
        );
      }),
  },
  {
    name: 'pg-commit-cut',
    tries: 50,
    async disturb({ gate, random }) {
      await gate.become('unanswered');
      await pause(random(100));
      await gate.become('open');
    },
  },
  {
    name: 'pg-long-transaction',
    tries: 1,
    async disturb({ server }, _, isQuick) {
      const client = new pg.Client({ connectionString: server.connectionString });
      await client.connect();
      await client.query('begin isolation level repeatable read');
      await client.query('select count(*) from sluice.slot');
      await pause(isQuick ? LONG_TRANSACTION_MS.quick : LONG_TRANSACTION_MS.full);
      await client.end();
    },
  },
  {
    name: 'pg-bouncer',
    tries: 20,
    async prepare(fleet) {
      const bouncer = await startPgBouncer(fleet.server, BOUNCER_POOL);
      fleet.owned.push(bouncer);
      fleet.gate.servicePort = bouncer.port;
    },
    async disturb(fleet, members) {
      const member = members.pop();
      if (member) members.unshift(await fleet.replace(member));
    },
  },
  {
    name: 'pg-no-connections',
    tries: 10,
    disturb: takeAllConnections,
  },
  {
    name: 'pg-read-only',
    tries: 10,
    async disturb({ server, random }) {
      await server.set({ default_transaction_read_only: 'on' });
      await pause(random(AWAY_MS));
      await server.set({ default_transaction_read_only: 'off' });
    },
  },
  {
    name: 'pg-disk-full',
    tries: 10,
    diskBytes: 200 * MIB,
    settings: { max_wal_size: '48MB', min_wal_size: '32MB' },
    async disturb({ disk, server, random }) {
      disk?.fill();
      await pause(FULL_MS + random(AWAY_MS));
      disk?.free();
      // A server that cannot write its log ends, and does not come back by itself.
      await restart(server, 'immediate', 0);
    },
  },
];

async function restart(server: Fleet['server'], how: 'kill' | 'immediate', awayMs: number): Promise<void> {
  await server.stop(how);
  await pause(awayMs);
  await server.start();
}

/** Kills the primary after `before`, and makes its standby the primary. */
async function promote(fleet: Fleet, before?: (standby: Standby) => Promise<void>): Promise<void> {
  const { gate, server } = fleet;
  const standby = await server.startStandby('synchronous');
  await pause(AWAY_MS);
  await before?.(standby);
  await server.stop('kill');
  await standby.promote();
  gate.servicePort = standby.port;
  fleet.server = standby;
  await server.close();
}

async function takeAllConnections({ server }: Fleet): Promise<void> {
  const taken: pg.Client[] = [];
  await server.psql('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
  for (let isFree = true; isFree; ) {
    const client = new pg.Client({ connectionString: server.connectionString });
    client.on('error', () => {});
    isFree = await client.connect().then(
      () => taken.push(client) > 0,
      () => false,
    );
  }
  await pause(AWAY_MS);
  await Promise.all(taken.map((client) => client.end()));
}

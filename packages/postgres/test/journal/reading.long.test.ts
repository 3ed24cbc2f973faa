import { expect, it, vi } from 'vitest';
import { PATIENCE } from '../../../../testing/patience.ts';
import { describeFleet, numbered, part } from '../bench/fleet.ts';
import { SHORT } from '../bench/journals.ts';

const ALL = { maxEvents: 1_000, maxBytes: 1_000_000 };

describeFleet('Reading', (fleet) => {
  /** A journal with three parcels of ten events. */
  async function filled() {
    const { journal, witness } = await fleet.journal();
    const [first] = [
      await journal.append(numbered('one', 10)),
      await journal.append(numbered('two', 10)),
      await journal.append(numbered('three', 10)),
    ];
    return { journal, witness, whole: { ...first, to: first.from + 30 } };
  }

  it('goes on behind events that somebody else deleted, and reports them as delivered', async () => {
    const { journal, whole, witness } = await filled();
    await fleet.database.pool.query(`delete from ${fleet.schema}.parcel where seq = 11`);
    expect((await journal.read(whole, ALL)).range).toEqual(part(whole, 0, 10));
    const gone = await journal.read(part(whole, 10, 30), ALL);
    expect(gone).toMatchObject({ range: part(whole, 10, 20), events: { ends: new Uint32Array(0) } });
    expect(witness.settlements).toEqual([{ range: part(whole, 10, 20), fate: 'delivered' }]);
    expect((await journal.read(part(whole, 20, 30), ALL)).events.ends).toHaveLength(10);
  });

  it('reports a damaged parcel, and goes on behind it', async () => {
    const { journal, whole, witness } = await filled();
    await fleet.database.pool.query(
      `update ${fleet.schema}.parcel set body = 'damaged', gzipped = true where seq = 11`,
    );
    expect((await journal.read(whole, ALL)).range).toEqual(part(whole, 0, 10));
    const damaged = await journal.read(part(whole, 10, 30), ALL);
    expect(damaged).toMatchObject({ range: part(whole, 10, 20), events: { ends: new Uint32Array(0) } });
    const slot = await fleet.ask(`select slot from ${fleet.schema}.parcel where seq = 1`);
    expect(witness).toMatchObject({ settlements: [], damages: [`parcel 11 of slot ${slot}`] });
  });

  it('keeps a damaged parcel aside, where no forwarder takes it', async () => {
    const { journal, crash } = await fleet.journal({}, SHORT);
    const range = await journal.append(numbered('broken', 10));
    await fleet.database.pool.query(`update ${fleet.schema}.parcel set body = 'damaged', gzipped = true`);
    const read = await journal.read(range, ALL);
    await journal.acknowledge(read.range);
    await crash();
    await fleet.ask(`update ${fleet.schema}.slot set until = now() where owner is not null`);
    const { witness } = await fleet.journal();
    expect(witness.ranges).toEqual([]);
    const aside = `select id from ${fleet.schema}.slot where part = 'damaged'`;
    expect(await fleet.count('parcel', `slot in (${aside}) and events = 10`)).toBe(1);
  });

  it('does not depend on what an application makes of its own types', async () => {
    const { connectionString } = fleet.database.server;
    const types = { getTypeParser: () => (value: string) => ({ value }) };
    const { journal, witness } = await fleet.journal({ pool: { connectionString, types }, outbox: true });
    await fleet.fillOutbox('typed', 10);
    const range = await journal.append(numbered('typed', 100));
    expect((await journal.read(range, ALL)).events.ends).toHaveLength(100);
    await vi.waitFor(() => expect(witness.ranges).toMatchObject([{ from: 0, to: 10 }]), PATIENCE);
    await journal.acknowledge(range);
    expect(await fleet.count('parcel')).toBe(0);
    expect((await journal.status()).tables.every(({ bytes }) => bytes > 0)).toBe(true);
  });

  it('in parts asks for a parcel once', async () => {
    const { journal, whole } = await filled();
    const few = { maxEvents: 3, maxBytes: 1_000_000 };
    await journal.read(whole, few);
    await fleet.database.pool.query(`delete from ${fleet.schema}.parcel`);
    expect((await journal.read(part(whole, 3, 10), few)).events.ends).toHaveLength(3);
  });
});

import { randomUUID } from 'node:crypto';
import { systemClock } from '@sluice/protocol/toolbox';
import { expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { Intake } from '../../src/forward/intake.ts';
import { OutboxTable } from '../../src/forward/outbox-table.ts';
import { TIMING } from '../../src/journal/options.ts';
import { ParcelTable } from '../../src/parcels/parcel-table.ts';
import { Segments } from '../../src/slots/segments.ts';
import { SlotTable } from '../../src/slots/slot-table.ts';
import { Tenures } from '../../src/slots/tenures.ts';
import { describeFleet } from '../bench/fleet.ts';
import { Witness } from '../bench/witness.ts';

describeFleet('A forwarder that finds something whenever it looks', (fleet) => {
  it('has opened its journal and removed unused slots all the same', async () => {
    const { connectionString } = fleet.database.server;
    const database = new Database({ connectionString }, fleet.schema, systemClock, 60_000);
    const owner = randomUUID();
    const slots = new SlotTable({ database, owner, part: undefined, leaseMs: TIMING.leaseMs });
    const tenures = new Tenures({ ...TIMING, slots, clock: systemClock, onLost() {}, onRegained() {} });
    let isSteady = true;
    const intake = new Intake({
      ...{ ...TIMING, leastPollMs: 0, mostPollMs: 0, mostParcels: 256, withOutbox: true },
      ...{ slots, tenures, segments: new Segments(), clock: systemClock },
      ...{ parcels: new ParcelTable(database, owner), outbox: new OutboxTable(database, owner) },
      // Each look begins with this.
      async settle() {
        if (isSteady) await fleet.fillOutbox('steady', 1);
      },
    });
    const witness = new Witness();
    await fleet.ask(
      `insert into ${fleet.schema}.slot (until) values (now() - interval '6 minutes') returning id`,
    );
    await intake.open(witness);
    expect(witness.ranges).toHaveLength(1);
    expect(await fleet.count('slot', 'outbox is null')).toBe(0);
    // And it looks on.
    await expect.poll(() => witness.ranges.length).toBeGreaterThan(2);
    isSteady = false;
    await intake.stop();
    tenures.stop();
    await database.close();
  });
});

import type { FaultRows } from '../../src/admin/contract.ts';
import { Segments } from '../parts/segments.tsx';
import { useAnswer } from '../shell/asking/answer.ts';
import { status } from '../shell/live.ts';
import { link, replaceRoute, route } from '../shell/route.ts';
import { FaultForm } from './fault-form.tsx';
import { FaultList } from './fault-list.tsx';
import { ScriptForm } from './script-form.tsx';

const WAYS = { one: 'One fault', script: 'A script' } as const;

/** The faults page: switches on faults and scripts, and stops them. */
export function FaultsPage() {
  const { activeFaults, newestRequest } = status.value ?? {};
  const rows = useAnswer<FaultRows>('/faults', `${activeFaults} ${newestRequest}`);
  const way = route.value.rest[0] === 'script' ? 'script' : 'one';
  return (
    <>
      <p class="lead">
        A fault makes the service misbehave, so that you can see what your code does. It acts from the next
        request on. The requests page shows on which requests it acted.
      </p>
      <div class="faults">
        <section class="card new-fault" aria-labelledby="new-fault">
          <div class="row">
            <h2 id="new-fault" class="grow">
              Switch on
            </h2>
            <Segments
              label="What to switch on"
              choices={WAYS}
              value={way}
              onChange={(to) => replaceRoute(link(to === 'one' ? ['faults'] : ['faults', to]))}
            />
          </div>
          {way === 'one' ? <FaultForm onAdded={rows.again} /> : <ScriptForm onAdded={rows.again} />}
        </section>
        <FaultList rows={rows} />
      </div>
    </>
  );
}

import { Empty } from '../parts/dialog.tsx';
import { FirstEvent } from '../settings/first-event.tsx';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** What to do while no event has arrived. */
export function NoEvents() {
  return (
    <Empty title="No event has arrived yet">
      {status.value?.primaryKey === null ? (
        <p>
          The emulator refuses events until you select a primary key: the attribute that identifies a
          customer. <a href={link(['audience'])}>Select one in the audience section</a>, then send the first
          event:
        </p>
      ) : (
        <p>The list fills by itself as events arrive. To send the first one:</p>
      )}
      <FirstEvent />
      <p class="muted">
        Nothing arrives though something is sent? <a href={link(['requests'])}>Requests</a> shows each one,
        and why it was refused. Snippets for Node and browsers are in{' '}
        <a href={link(['settings'])}>Settings</a>.
      </p>
    </Empty>
  );
}

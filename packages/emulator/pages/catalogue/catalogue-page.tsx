import type { Catalogue, CatalogueEntry, CatalogueKey } from '../../src/admin/contract.ts';
import { Problem } from '../parts/dialog.tsx';
import { Table } from '../parts/facts.tsx';
import { escapeUnseen, formatCount, formatSome, shownText, Time } from '../parts/text.tsx';
import { FirstEvent } from '../settings/first-event.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** What applications track: the names of events, and the keys of their payloads. */
export function CataloguePage() {
  const { clearings, newestEvent = 0 } = status.value ?? {};
  const answer = useAnswer<Catalogue>('/catalogue', `${clearings} ${newestEvent > 0}`);
  const { value, again } = answer;
  const { entries = [], counted = 0, isExact = true } = value ?? {};
  return (
    <>
      <div class="row">
        <span class="muted">
          {`${formatSome(entries.length, 'name')} in ${isExact ? '' : 'the newest '}${formatSome(counted, 'event')}`}
        </span>
        <button type="button" onClick={again}>
          Count again
        </button>
      </div>
      <Problem of={answer} />
      {value !== undefined && entries.length === 0 && <FirstEvent title="No event has arrived yet" />}
      {entries.map((entry) => (
        <Entry key={entry.name} entry={entry} />
      ))}
    </>
  );
}

function Entry({ entry: { name, count, firstAt, lastAt, read, keys } }: { readonly entry: CatalogueEntry }) {
  const found = keys.length === 0 ? 'No payload has a key.' : `Keys of ${formatSome(read, 'payload')}:`;
  return (
    <details class="card">
      <summary>
        {shownText(name)} <span class="badge">{formatSome(count, 'event')}</span>{' '}
        <span class="muted small">
          <Time value={firstAt} /> – <Time value={lastAt} />
        </span>
      </summary>
      <a href={link(['tracker'], { name })}>Show these events</a>
      <p class="muted">
        {read === 0 ? 'No payload was read: these events are too old, or too large.' : found}
      </p>
      {keys.length > 0 && (
        <Table
          heads={['Key', 'Type', 'Payloads']}
          rows={keys.map(({ path, count, types }) => [
            <a key="path" class="mono" href={link(['tracker'], { name, payload: `payload.${path}` })}>
              {escapeUnseen(path)}
            </a>,
            inWords(types),
            count === read ? 'all' : `${formatCount(count)} of ${formatCount(read)}`,
          ])}
        />
      )}
    </details>
  );
}

function inWords(types: CatalogueKey['types']): string {
  const kinds = Object.entries(types);
  const words = kinds.map(([type, times]) => (kinds.length === 1 ? type : `${type} (${formatCount(times)})`));
  return words.join(', ');
}

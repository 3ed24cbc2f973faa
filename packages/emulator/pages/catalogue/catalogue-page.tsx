import type { Catalogue, CatalogueEntry, CatalogueKey } from '../../src/admin/contract.ts';
import { Empty, Problem } from '../parts/dialog.tsx';
import { escapeUnseen, formatCount, formatSome, shownText, Time } from '../parts/text.tsx';
import { useAnswer } from '../shell/asking.ts';
import { status } from '../shell/live.ts';
import { link } from '../shell/route.ts';

/** What applications track: the names of events, and the keys of their payloads. */
export function CataloguePage() {
  const { value, error, again } = useAnswer<Catalogue>('/tracker/catalogue', status.value?.clearings);
  const { entries = [], counted = 0, isExact = true } = value ?? {};
  return (
    <>
      <div class="row">
        <span class="muted number">
          {`${formatSome(entries.length, 'name')} in ${isExact ? '' : 'the newest '}${formatSome(counted, 'event')}`}
        </span>
        <button type="button" onClick={again}>
          Count again
        </button>
      </div>
      <Problem error={error} onRetry={again} />
      {value !== undefined && entries.length === 0 && <Empty title="No event has come yet" />}
      {entries.map((entry) => (
        <Entry key={entry.name} entry={entry} />
      ))}
    </>
  );
}

function Entry({ entry }: { readonly entry: CatalogueEntry }) {
  const { name, count, firstAt, lastAt, read, keys } = entry;
  return (
    <details class="card catalogue">
      <summary>
        <strong class="cut">{shownText(name)}</strong>
        <span class="number">{formatSome(count, 'event')}</span>
        <span class="muted number">
          <Time value={firstAt} /> – <Time value={lastAt} />
        </span>
      </summary>
      <a href={link(['tracker'], { name })}>Show these events</a>
      {keys.length === 0 ? (
        <p class="muted">
          {read === 0
            ? 'No payload was read: these events are too old, or too large.'
            : 'No payload has a key.'}
        </p>
      ) : (
        <table>
          <caption class="muted">{`Keys of ${formatSome(read, 'payload')}`}</caption>
          <thead>
            <tr>
              <th scope="col">Key</th>
              <th scope="col">Type</th>
              <th scope="col" class="number">
                Payloads
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <Key key={key.path} name={name} of={key} read={read} />
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

interface KeyProps {
  readonly name: string;
  readonly of: CatalogueKey;
  readonly read: number;
}

function Key({ name, of: { path, count, types }, read }: KeyProps) {
  const kinds = Object.entries(types);
  const words = kinds.map(([type, times]) => (kinds.length === 1 ? type : `${type} (${formatCount(times)})`));
  return (
    <tr>
      <th scope="row">
        <a href={link(['tracker'], { name, payload: `payload.${path}` })}>{escapeUnseen(path)}</a>
      </th>
      <td>{words.join(', ')}</td>
      <td class="number">{count === read ? 'all' : `${formatCount(count)} of ${formatCount(read)}`}</td>
    </tr>
  );
}

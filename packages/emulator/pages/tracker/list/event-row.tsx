// biome-ignore-all lint/a11y/useSemanticElements: each row has its own position, which a table row cannot have
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus, and names the active row
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys
import type { TrackerRow } from '../../../src/admin/contract.ts';
import { Marked } from '../../parts/text/marked.tsx';
import { escapeUnseen, shownText } from '../../parts/text/shown-text.ts';
import { Time } from '../../parts/text/time.tsx';
import { status } from '../../shell/live.ts';

interface EventRowProps {
  readonly id: string;
  /** Undefined until it has arrived. */
  readonly row: TrackerRow | undefined;
  /** What is searched. */
  readonly hits: RegExp | undefined;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly isNew: boolean;
  readonly onOpen: () => void;
}

/** A row of the list of events. */
export function EventRow(props: EventRowProps) {
  const { id, row, hits, index, top, height, isActive, isOpen, isNew, onOpen } = props;
  const classes = ['event-row', isActive && 'is-active', isNew && 'is-new'].filter(Boolean).join(' ');
  return (
    <div
      id={id}
      class={classes}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      style={{ transform: `translateY(${top}px)`, height: `${height}px` }}
      onClick={onOpen}
    >
      {row === undefined ? <Waiting /> : <Cells row={row} hits={hits} />}
    </div>
  );
}

function Waiting() {
  return (
    <span role="gridcell" class="is-waiting">
      <span class="visually-hidden">Loading</span>
    </span>
  );
}

function Cells({ row, hits }: { readonly row: TrackerRow; readonly hits: RegExp | undefined }) {
  const marked = (text: string) => <Marked text={text} hits={hits} />;
  return (
    <>
      <span role="gridcell" class="number muted event-time">
        <Time value={row.receivedAt} />
      </span>
      <span role="gridcell" class="event-name">
        <span class="cut">{marked(shownText(row.name))}</span>
        {row.deliveries > 1 && (
          <span class="badge" title={`Its uuid was received ${row.deliveries} times; it counts once`}>
            ×{row.deliveries}
          </span>
        )}
      </span>
      <span role="gridcell" class="event-customer">
        <span class="cut">{marked(shownText(row.correlationValue))}</span>
        {!row.attributed && status.value?.hasCustomers && (
          <span class="badge warn" title="No customer has this primary key value">
            no customer
          </span>
        )}
      </span>
      <span role="gridcell" class="event-source cut muted">
        {shownText(row.source)}
      </span>
      {(row.values.length > 0 ? row.values : [row.preview]).map((value, index) => (
        <span key={index} role="gridcell" class="event-preview cut muted">
          {marked(escapeUnseen(value ?? ''))}
        </span>
      ))}
    </>
  );
}

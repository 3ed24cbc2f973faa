import { ClearButton } from '../parts/dialogs/clear-button.tsx';
import { Menu } from '../parts/dialogs/menu.tsx';
import { formatSome } from '../parts/text/numbers.ts';
import { isLost, status } from '../shell/live.ts';
import { type EventFilter, isOpen, trackerPath } from './filter/event-filter.ts';

interface ToolbarProps {
  readonly filter: EventFilter;
  readonly isFollowing: boolean;
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
}

/** Shows how many events there are and whether the list follows, and offers to pause and to export. */
export function Toolbar({ filter, isFollowing, isPaused, onPause }: ToolbarProps) {
  const { unique = 0, received = 0 } = status.value ?? {};
  return (
    <div class="toolbar">
      <span class="muted number">
        {formatSome(unique, 'event')}
        {received > unique && ` · ${formatSome(received - unique, 'repeat')}`}
      </span>
      <span class={`pulse ${isFollowing && !isLost.value ? 'is-live' : ''}`}>
        {isLost.value ? 'Not connected' : isFollowing ? 'Live' : isPaused ? 'Paused' : 'Not following'}
      </span>
      <button type="button" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      <ClearButton />
      <Menu label="Export">
        <p class="muted">{isOpen(filter) ? 'All events:' : 'What the filter shows:'}</p>
        <Download filter={filter} format="ndjson" label="NDJSON, as received" />
        <Download filter={filter} format="csv" label="CSV, for a spreadsheet" />
      </Menu>
    </div>
  );
}

interface DownloadProps {
  readonly filter: EventFilter;
  readonly format: 'ndjson' | 'csv';
  readonly label: string;
}

function Download({ filter, format, label }: DownloadProps) {
  return (
    <a href={`/emulator/admin${trackerPath('/export', filter, { format })}`} download={`events.${format}`}>
      {label}
    </a>
  );
}

import { formatSome } from '../parts/numbers.ts';

/** While the list stands still: how many events have arrived since, and the way to them. */
export function NewEvents({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  if (count === 0) return null;
  return (
    <button type="button" class="main new-events" onClick={onShow}>
      {`↑ ${formatSome(count, 'new event')}`}
    </button>
  );
}

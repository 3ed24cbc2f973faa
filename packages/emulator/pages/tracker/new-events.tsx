import { formatSome } from '../parts/numbers.ts';

/** While the list does not move: a button that says how many new events there are, and shows them. */
export function NewEvents({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  if (count === 0) return null;
  return (
    <button type="button" class="main new-events" onClick={onShow}>
      {`↑ ${formatSome(count, 'new event')}`}
    </button>
  );
}

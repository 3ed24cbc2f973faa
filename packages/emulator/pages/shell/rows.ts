import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ask } from './asking/ask.ts';
import { useAsking } from './asking/asking.ts';

/** The part of a row that its list needs. */
interface Identified {
  readonly id: number;
}

/** A page of a list, as admin routes give it. */
export interface RowsPage<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
}

/** A list, newest first, of which more rows can be read. */
export interface Rows<Row, Page> {
  readonly rows: readonly Row[];
  /** The latest answer for the first page; undefined until there is one. */
  readonly first: Page | undefined;
  readonly hasMore: boolean;
  readonly isReading: boolean;
  readonly error: unknown;
  readonly readOn: () => void;
  /** Starts again with the first page, and drops the rows after it. */
  readonly again: () => void;
}

interface State<Row, Page> {
  readonly path?: string;
  readonly rows: readonly Row[];
  readonly first?: Page;
  readonly hasMore: boolean;
  readonly error?: unknown;
}

const NOTHING = { rows: [], hasMore: false };

/**
 * Reads the list at `path` (with a query). When `version` changes, it reads the first page again: new rows are added in front,
 * and the rows that were read before stay.
 *
 * @param pick Returns the rows of an answer, and whether there are more.
 */
export function useRows<Row extends Identified, Page>(
  path: string,
  pick: (page: Page) => RowsPage<Row>,
  version: unknown = undefined,
): Rows<Row, Page> {
  const [state, setState] = useState<State<Row, Page>>(NOTHING);
  const [turn, setTurn] = useState(0);
  const [isReading, setReading] = useState(false);
  const reading = useRef<AbortController | undefined>(undefined);
  const anew = useRef(false);
  const picker = useRef(pick);
  picker.current = pick;

  useAsking<Page>(path, `${turn} ${version}`, (of, result) => {
    const isAnew = anew.current;
    anew.current = false;
    setState((before) =>
      'error' in result
        ? { ...(before.path === of ? before : NOTHING), path: of, error: result.error }
        : beginAgain(isAnew ? NOTHING : before, of, result.value, picker.current(result.value)),
    );
  });
  useEffect(() => () => reading.current?.abort(), [path]);

  const current = state.path === path ? state : NOTHING;
  const last = current.rows.at(-1)?.id;
  const readOn = useCallback(() => {
    if (last === undefined || (reading.current !== undefined && !reading.current.signal.aborted)) return;
    const controller = new AbortController();
    const { signal } = controller;
    reading.current = controller;
    setReading(true);
    const end = () => {
      controller.abort();
      setReading(false);
    };
    ask<Page>(`${path}${path.includes('?') ? '&' : '?'}before=${last}`, { signal }).then(
      (page) => {
        if (signal.aborted) return;
        const { rows, hasMore } = picker.current(page);
        setState((before) => {
          // The rows before these may have been dropped meanwhile.
          if (before.rows.at(-1)?.id !== last) return before;
          return { ...before, rows: [...before.rows, ...rows], hasMore };
        });
        end();
      },
      (error: unknown) => {
        if (!signal.aborted) setState((before) => ({ ...before, error }));
        end();
      },
    );
  }, [path, last]);

  const again = useCallback(() => {
    anew.current = true;
    setTurn((before) => before + 1);
  }, []);
  return {
    rows: current.rows,
    first: 'first' in current ? current.first : undefined,
    hasMore: current.hasMore,
    isReading,
    error: 'error' in current ? current.error : undefined,
    readOn,
    again,
  };
}

// The first page replaces the rows that it overlaps. If it does not reach the old rows, they are dropped.
function beginAgain<Row extends Identified, Page>(
  before: State<Row, Page>,
  path: string,
  first: Page,
  { rows, hasMore }: RowsPage<Row>,
): State<Row, Page> {
  const oldest = rows.at(-1)?.id ?? 0;
  const newestBefore = before.rows[0]?.id ?? 0;
  const older =
    before.path === path && newestBefore >= oldest ? before.rows.filter(({ id }) => id < oldest) : [];
  const isKept = hasMore && older.length > 0;
  return {
    path,
    first,
    rows: isKept ? [...rows, ...older] : rows,
    hasMore: isKept ? before.hasMore : hasMore,
  };
}

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { isLost } from './live.ts';
import { type Identified, Rows, type Source } from './rows.ts';

/**
 * The rows of a source, which `path` identifies. They are renewed when `version` changes, unless they are held: as a rule it is
 * the newest id. Until the rows of another source arrive, the old ones stay on the screen: `shown`.
 */
export function useRows<Row extends Identified>(
  path: string,
  source: () => Source<Row>,
  version: number | undefined,
  isHeld = false,
): { readonly asked: Rows<Row>; readonly shown: Rows<Row> } {
  const asked = useMemo(() => new Rows(source()), [path]);
  const shown = useRef(asked);
  const isNew = asked.state.length === undefined;
  if (!isNew) shown.current = asked;
  useEffect(() => () => asked.close(), [asked]);
  useEffect(() => {
    if (isNew || !isHeld) asked.renew(version);
  }, [asked, version, isHeld, isLost.value]);
  return { asked, shown: shown.current };
}

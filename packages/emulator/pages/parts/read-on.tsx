import { useEffect, useRef } from 'preact/hooks';

interface ReadOnProps {
  readonly isReading: boolean;
  readonly onReadOn: () => void;
}

/** The end of the rows that were read. When it comes into view, or its button is clicked, more rows are read. */
export function ReadOn({ isReading, onReadOn }: ReadOnProps) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = end.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onReadOn();
      },
      { rootMargin: '600px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [onReadOn]);
  return (
    <div ref={end} class="read-on">
      <button type="button" class="quiet" disabled={isReading} onClick={onReadOn}>
        {isReading ? 'Reading on…' : 'Show more'}
      </button>
    </div>
  );
}

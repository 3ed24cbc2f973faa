import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { link } from './route.ts';

/** A page, with its name in the address. */
export interface Page {
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType;
}

/** The links to all pages, and the title of the window. */
export function Navigation({ pages, current }: { readonly pages: readonly Page[]; readonly current: Page }) {
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone, not all links are in view.
    links.current
      ?.querySelector('[aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' });
    document.title = `${current.title} · Sluice emulator`;
  }, [current]);
  return (
    <header class="bar">
      <strong class="brand">Sluice emulator</strong>
      <nav aria-label="Pages" ref={links}>
        {pages.map(({ name, title }) => (
          <a key={name} href={link([name])} aria-current={name === current.name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}

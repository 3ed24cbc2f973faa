import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { ActiveFaults } from './active-faults.tsx';
import { link } from './route.ts';

/** A page, with its name in the address. */
export interface Page {
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType;
}

/** The links to all pages, and the title of the window. */
export function Navigation({ pages, current }: { readonly pages: readonly Page[]; readonly current: Page }) {
  useEffect(() => {
    document.title = `${current.title} · Sluice emulator`;
  }, [current]);
  return (
    <header class="bar">
      <strong class="brand">Sluice emulator</strong>
      <nav aria-label="Pages">
        {pages.map(({ name, title }) => (
          <a key={name} href={link([name])} aria-current={name === current.name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <ActiveFaults />
    </header>
  );
}

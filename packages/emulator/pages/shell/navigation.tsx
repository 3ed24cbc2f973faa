import { useEffect } from 'preact/hooks';
import type { Page } from './app.tsx';
import { link } from './route.ts';

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
    </header>
  );
}

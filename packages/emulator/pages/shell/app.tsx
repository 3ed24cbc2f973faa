import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { AudiencePage } from '../audience/audience-page.tsx';
import { CataloguePage } from '../catalogue/catalogue-page.tsx';
import { FaultsPage } from '../faults/faults-page.tsx';
import { RequestsPage } from '../requests/requests-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { TrackerPage } from '../tracker/tracker-page.tsx';
import { ask } from './ask.ts';
import { useTask } from './asking.ts';
import { emulators, isLocked, isLost, status } from './live.ts';
import { link, route } from './route.ts';

/** A page, with its name in the address. */
interface Page {
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType;
}

const PAGES: readonly [Page, ...Page[]] = [
  { name: 'tracker', title: 'Event tracker', View: TrackerPage },
  { name: 'catalogue', title: 'Catalogue', View: CataloguePage },
  { name: 'audience', title: 'Audience', View: AudiencePage },
  { name: 'settings', title: 'Settings', View: SettingsPage },
  { name: 'requests', title: 'Requests', View: RequestsPage },
  { name: 'faults', title: 'Faults', View: FaultsPage },
];

/** All pages in one: the navigation, and the page that the address names (by default, the event tracker). */
export function App() {
  const page = PAGES.find(({ name }) => name === route.value.page) ?? PAGES[0];
  useEffect(() => {
    document.title = `${page.title} · Sluice emulator`;
  }, [page]);
  useEffect(() => {
    document.addEventListener('keydown', goToSearch);
    return () => document.removeEventListener('keydown', goToSearch);
  }, []);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <header class="bar row">
        <strong class="brand">Sluice emulator</strong>
        <nav aria-label="Pages">
          {PAGES.map(({ name, title }) => (
            <a key={name} href={link([name])} aria-current={name === page.name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <ActiveFaults />
      </header>
      <div role="status">
        {isLost.value && (
          <p class="notice bad">
            {isLocked.value
              ? 'The emulator was started again with another token. Open the address that it prints now.'
              : 'The emulator does not answer. The page shows its last state, and tries again all the time.'}
          </p>
        )}
      </div>
      <main id="content" tabIndex={-1}>
        <h1>{page.title}</h1>
        {/* The state of a page belongs to one emulator. */}
        <page.View key={`${page.name} ${emulators.value}`} />
      </main>
    </>
  );
}

/** How many faults are active, and a button that ends them. */
function ActiveFaults() {
  const task = useTask();
  const { activeFaults = 0 } = status.value ?? {};
  if (activeFaults === 0) return null;
  return (
    <span class="notice bad row last">
      <a href={link(['faults'])}>
        {activeFaults === 1 ? '1 fault is active' : `${activeFaults} faults are active`}
      </a>
      <button
        type="button"
        class="small"
        disabled={task.isRunning}
        onClick={() => task.run(() => ask('/faults', { method: 'DELETE' }))}
      >
        End all faults
      </button>
    </span>
  );
}

/** The key `/` moves the focus to the search of the page, unless the user is typing. */
function goToSearch(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isTyped =
    target instanceof Element && target.closest('input, select, textarea, dialog:modal') !== null;
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
  if (key !== '/' || ctrlKey || metaKey || altKey || isTyped || search === null) return;
  event.preventDefault();
  search.focus();
  search.select();
}

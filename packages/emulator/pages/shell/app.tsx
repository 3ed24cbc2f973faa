import { useEffect } from 'preact/hooks';
import { AudiencePage } from '../audience/audience-page.tsx';
import { CataloguePage } from '../catalogue/catalogue-page.tsx';
import { FaultsPage } from '../faults/faults-page.tsx';
import { RequestsPage } from '../requests/requests-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { TrackerPage } from '../tracker/tracker-page.tsx';
import { Connection } from './connection.tsx';
import { emulators } from './live.ts';
import { Navigation, type Page } from './navigation.tsx';
import { route } from './route.ts';

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
    document.addEventListener('keydown', goToSearch);
    return () => document.removeEventListener('keydown', goToSearch);
  }, []);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        Skip to content
      </button>
      <Navigation pages={PAGES} current={page} />
      <Connection />
      <main id="content" tabIndex={-1}>
        <h1>{page.title}</h1>
        {/* The state of a page belongs to one emulator. */}
        <page.View key={`${page.name} ${emulators.value}`} />
      </main>
    </>
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

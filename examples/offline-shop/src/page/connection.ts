import { find, write } from './elements.ts';
import { type Service, switchService } from './service.ts';

/** The switch that takes the relay away, and the banner that says so. */
export class Connection {
  readonly #switch = find('#offline', HTMLInputElement);
  #isUp: boolean;

  constructor(service: Service, onSwitched: (service: Service) => void) {
    this.#isUp = service.isUp;
    this.#switch.addEventListener('change', async () => {
      try {
        const switched = await switchService(!this.#switch.checked);
        this.#isUp = switched.isUp;
        onSwitched(switched);
        // A browser dispatches this event when its network is back.
        if (switched.isUp) dispatchEvent(new Event('online'));
        this.#show();
      } catch {
        this.#show('The shop does not answer. Does `npm run example:shop` still run?');
      }
    });
    for (const name of ['online', 'offline']) addEventListener(name, () => this.#show());
    this.#show();
  }

  #show(trouble = ''): void {
    this.#switch.checked = !this.#isUp;
    const isOffline = !this.#isUp || !navigator.onLine;
    const news = 'You are offline. Go on as you like: every tap is kept, and delivered later.';
    const text = trouble || (isOffline ? news : '');
    write(text, '#banner');
    find('#banner', HTMLElement).hidden = text === '';
  }
}

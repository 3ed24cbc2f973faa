/** The settings of this process, which its parent sends first. */
export function receiveSettings<Settings>(): Promise<Settings> {
  // Ctrl-C goes to every process of the terminal. The parent decides what ends; without it, all is over.
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit());
  return new Promise((resolve) => {
    process.once('message', (message: { settings: Settings }) => resolve(message.settings));
    tell({ type: 'listening' });
  });
}

/** Tells the parent something. */
export function tell<Told extends { readonly type: string }>(message: Told): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

/** Listens to what the parent asks from now on. */
export function onAsked<Asked extends { readonly type: string }>(listener: (asked: Asked) => void): void {
  process.on('message', listener);
}

/** Lets this process end as soon as nothing keeps it. */
export function takeLeave(): void {
  process.removeAllListeners('disconnect');
  process.disconnect();
}

/** Receives the settings of this process, which its parent sends first. */
export function receiveSettings<Settings>(): Promise<Settings> {
  // Ctrl-C reaches every process of the terminal. The parent decides which processes end; without a parent, this one exits.
  process.on('SIGINT', () => undefined);
  process.once('disconnect', () => process.exit());
  return new Promise((resolve) => {
    process.once('message', (message: { settings: Settings }) => resolve(message.settings));
    tell({ type: 'listening' });
  });
}

/** Sends a message to the parent. */
export function tell<Told extends { readonly type: string }>(message: Told): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

/** Listens to the requests of the parent from now on. */
export function onAsked<Asked extends { readonly type: string }>(listener: (asked: Asked) => void): void {
  process.on('message', listener);
}

/** Disconnects from the parent, so that this process ends as soon as it has no more work. */
export function takeLeave(): void {
  process.removeAllListeners('disconnect');
  process.disconnect();
}

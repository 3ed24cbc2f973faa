/** Resolves to the settings of this process: the first message from its parent. */
export function receiveSettings<Settings>(): Promise<Settings> {
  // Ctrl-C reaches every process of the terminal. This process ignores it: its parent ends it, at the right time.
  // If the parent is gone, this process ends itself.
  process.on('SIGINT', () => {});
  process.once('disconnect', () => process.exit());
  return new Promise((resolve) => {
    process.once('message', (message) => resolve(message as Settings));
  });
}

/** Sends a message to the parent. Resolves once it is sent. If the parent is gone, this process exits. */
export function tell<Message extends object>(message: Message): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, (error) => (error ? process.exit() : resolve()));
  });
}

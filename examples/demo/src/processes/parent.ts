/** The start message of this process, which its parent sends first. */
export function receiveSettings<Settings>(): Promise<Settings> {
  // Ctrl-C goes to every process of the terminal. The parent decides what ends when; without it, all is over.
  process.on('SIGINT', () => {});
  process.once('disconnect', () => process.exit());
  return new Promise((resolve) => {
    process.once('message', (message) => resolve(message as Settings));
  });
}

/** Tells the parent something. Resolves once it is on its way; where nobody listens any more, the process ends. */
export function tell<Message extends object>(message: Message): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, (error) => (error ? process.exit() : resolve()));
  });
}

// The service worker of the site. A message stands for a Background Sync, which a test cannot cause.
import { relayDrain } from '@sluice/core/relay-drain';
import { drain, drainOnSync } from '@sluice/core/service-worker';

const options = { relay: '/s', correlationKey: 'email', parts: { relayDrain } };

drainOnSync(options);
addEventListener('message', ({ ports: [port] }) => {
  drain(options).then(
    () => port?.postMessage('done'),
    ({ message }: Error) => port?.postMessage(message),
  );
});

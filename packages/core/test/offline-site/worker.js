// The service worker of a site. While there is no network, it answers from its cache, as many sites do.
const HTML = '<!doctype html><html lang="en"><title>You are offline</title></html>';
/** The cached file with which it answers now, instead of the network. Empty while there is a network. */
let offline = '';

addEventListener('install', (event) => {
  const fill = async () => {
    const cache = await caches.open('offline-site');
    await cache.put('page.html', new Response(HTML, { headers: { 'content-type': 'text/html' } }));
    await cache.add('worker.js');
  };
  skipWaiting();
  event.waitUntil(fill());
});
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', ({ data, ports: [port] }) => {
  offline = data;
  port.postMessage('done');
});
addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.mode === 'navigate') event.respondWith(caches.match('page.html'));
  else event.respondWith(offline === '' ? fetch(request) : caches.match(offline));
});

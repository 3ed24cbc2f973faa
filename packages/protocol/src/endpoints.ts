/** Path to send events to, under `{base_url}`. The interface requires the trailing slash (section 4.1). */
export const EVENTS_PATH = '/api/events/batch/';

/** Path to read a customer, under `{api_url}` (section 4.2). */
export const CUSTOMER_READ_PATH = '/customers/read';

/**
 * Returns the URL of `path` under a base URL. The base may have a path and end in slashes. It must not have a query.
 *
 * @example endpoint('http://127.0.0.1:4100', EVENTS_PATH); // 'http://127.0.0.1:4100/api/events/batch/'
 */
export function endpoint(base: string, path: string): string {
  let end = base.length;
  while (base[end - 1] === '/') end -= 1;
  return base.slice(0, end) + path;
}

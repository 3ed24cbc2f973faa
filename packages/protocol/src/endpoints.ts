/** Path of event ingestion under `{base_url}`, with the trailing slash of the interface (section 4.1). */
export const EVENTS_PATH = '/api/events/batch/';

/** Path of reading a customer under `{api_url}` (section 4.2). */
export const CUSTOMER_READ_PATH = '/customers/read';

/** The address of `path` under a base address, which may have a path of its own and may end in slashes, and has no query. */
export function endpoint(base: string, path: string): string {
  let end = base.length;
  while (base[end - 1] === '/') end -= 1;
  return base.slice(0, end) + path;
}

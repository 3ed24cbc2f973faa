/** The status and headers of an answer, which allow pages to read it. */
export function head(status: string, ...headers: string[]): string {
  const all = ['access-control-allow-origin: *', 'access-control-expose-headers: *', ...headers];
  return `HTTP/1.1 ${status}\r\n${all.join('\r\n')}\r\n\r\n`;
}

/** An answer with its content-length. */
export function answer(status: string, body: string, ...headers: string[]): string {
  return head(status, `content-length: ${body.length}`, ...headers) + body;
}

/** The bytes compressed, one character for each byte. */
export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return latin1(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/** Bytes as a script contains them. */
export function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}

/** Parts of answers, valid and invalid. */
export const SHREDS: readonly string[] = [
  ...['HTTP/1.1 200 OK\r\n', 'HTTP/1.0 200 OK\r\n', 'HTTP/1.1 100 Continue\r\n', 'HTTP/1.1 103 Hints\r\n'],
  ...['HTTP/1.1 101 Switch\r\n', 'HTTP/1.1 204 None\r\n', 'HTTP/1.1 304 Same\r\n', 'HTTP/1.1 999 What\r\n'],
  ...['HTTP/2 200\r\n', 'HTTP/1.1 20', 'ICY 200 OK\r\n', 'hello', 'x'.repeat(20_000)],
  ...['\r\n', '\r\n', '\r\n', '\n', '\r', ' ', ':', '\0', 'é', ' folded\r\n'],
  ...['content-length: 5\r\n', 'content-length: 0\r\n', 'content-length: 99999999999999999999\r\n'],
  ...['transfer-encoding: chunked\r\n', 'transfer-encoding: gzip, chunked\r\n', 'trailer: x\r\n'],
  ...['5\r\nhello\r\n', '0\r\n\r\n', '0\r\nx: y\r\n\r\n', 'ffffffffffffffff\r\n'],
  ...['content-encoding: gzip\r\n', 'content-encoding: br, deflate, gzip\r\n', 'location: //\0\r\n'],
  ...['connection: close\r\n', 'connection: keep-alive\r\n', 'connection: upgrade\r\nupgrade: h2c\r\n'],
  ...['keep-alive: timeout=0\r\n', 'keep-alive: timeout=1e99\r\n', 'retry-after: -1\r\n'],
];

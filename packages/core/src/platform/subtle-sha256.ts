/** As `sha256`, where there is `crypto.subtle` and the time to wait for it: a service worker has no need of the algorithm itself. */
export async function subtleSha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

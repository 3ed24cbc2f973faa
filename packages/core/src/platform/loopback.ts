/** A URL with this goes to no other machine. */
export const LOOPBACK: RegExp = /\/\/([^/]*\.)?(localhost|127\.[\d.]+|\[::1])[:/]/;

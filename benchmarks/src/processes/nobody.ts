/** An address at which nothing listens: the service is away. */
export const NOBODY = 'http://127.0.0.1:9';

export * from '../../src/gzip.ts';
export * from '../../src/index.ts';

export * from '../../src/index.ts';
export * from '../../src/parts/gzip/gzip.ts';

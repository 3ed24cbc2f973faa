export * from '../../src/gzip.ts';
export * from '../../src/hooks.ts';
export * from '../../src/index.ts';

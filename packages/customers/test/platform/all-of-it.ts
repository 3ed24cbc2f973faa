export * from '../../src/cache.ts';
export * from '../../src/checked.ts';
export * from '../../src/concurrency.ts';
export * from '../../src/index.ts';
export * from '../../src/standard-schema.ts';

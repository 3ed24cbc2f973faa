export { bounds, learn } from '#parts';
export * from '../../src/index.ts';
export * from '../../src/options/checked.ts';
export * from '../../src/parts/gzip/gzip.ts';
export * from '../../src/parts/wait-until.ts';

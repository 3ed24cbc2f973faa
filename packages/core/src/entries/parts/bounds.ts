export { bounds } from '#parts';

export { learn } from '#parts';

export { deadLetters } from '#parts';

export { perCustomer } from '#parts';

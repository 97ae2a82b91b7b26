export { bundle as setup } from './products.js';

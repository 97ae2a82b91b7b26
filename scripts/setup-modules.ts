export { generate as setup } from './products.js';

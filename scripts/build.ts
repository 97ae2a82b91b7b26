import { bundle, declareTypes } from './products.js';

await bundle();
await declareTypes();

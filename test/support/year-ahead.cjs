'use strict';

// Loaded with `node -r` before the tests, by `npm run test:later`.

require('./moved-clock.cjs')(Date.now(), 1, 365 * 24 * 60);

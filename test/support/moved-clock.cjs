'use strict';

// Loaded with `node -r` before the program, by a module that Clocks of clocks.ts writes: both clocks and intervals run
// faster since `epoch`, and the wall clock is wrong. Timeouts, and so those of requests, last as long as they say.

module.exports = (epoch, speed, offsetMinutes) => {
  const { performance } = globalThis;
  const monotonic = performance.now.bind(performance);
  const start = {
    monotonic: monotonic(),
    wall: epoch + (Date.now() - epoch) * speed + offsetMinutes * 60_000,
  };
  const passed = () => (monotonic() - start.monotonic) * speed;
  performance.now = () => start.monotonic + passed();
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...words) {
      super(...(words.length === 0 ? [start.wall + passed()] : words));
    }
    static now() {
      return start.wall + passed();
    }
  };
  const { setInterval } = globalThis;
  globalThis.setInterval = (work, milliseconds, ...rest) => setInterval(work, milliseconds / speed, ...rest);
};

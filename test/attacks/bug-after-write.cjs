// A bug that shows only after the first request that changes something. BUG is the place, BUG_FROM how often it goes
// well before it throws for good: p is the progress, n the comparison of names.
const { Socket } = require('node:net');

let armed = false;
let left = Number(process.env.BUG_FROM ?? 0);

const { write } = Socket.prototype;
Socket.prototype.write = function (data, ...rest) {
  if (/^(POST|PUT|DELETE) \/api\/(?!schedules\/preview)/.test(String(data))) armed = true;
  return write.call(this, data, ...rest);
};

function throwIf(hit) {
  if (!armed || !hit) return;
  left -= 1;
  if (left < 0) throw new TypeError('a bug of the program');
}

if (process.env.BUG === 'p') {
  const { delete: remove } = Map.prototype;
  Map.prototype.delete = function (key) {
    throwIf(/#\d+$/.test(String(key)));
    return remove.call(this, key);
  };
} else {
  const { normalize } = String.prototype;
  String.prototype.normalize = function (...forms) {
    throwIf(true);
    return normalize.apply(this, forms);
  };
}

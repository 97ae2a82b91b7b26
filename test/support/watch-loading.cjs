// Preloaded into the command: writes to stderr, at its end, which files and modules of Node it loaded, and whether it used Intl.
const Module = require('node:module');
const { writeSync } = require('node:fs');

const loaded = { files: [], builtins: [], intl: false };
const { Intl: real } = globalThis;
Object.defineProperty(globalThis, 'Intl', {
  configurable: true,
  get() {
    loaded.intl = true;
    return real;
  },
});
const load = Module._load;
Module._load = function (request, parent, isMain) {
  if (Module.isBuiltin(request)) loaded.builtins.push(request.replace('node:', ''));
  else loaded.files.push(Module._resolveFilename(request, parent, isMain));
  return load.call(this, request, parent, isMain);
};
process.on('exit', () => writeSync(2, `\nloaded: ${JSON.stringify(loaded)}`));

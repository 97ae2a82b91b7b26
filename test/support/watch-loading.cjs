// Preloaded into the command: writes to stderr, at its end, which files and modules of Node it loaded, and whether it used Intl.
const Module = require('node:module');
const { writeSync } = require('node:fs');
const vm = require('node:vm');

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
// The command loads its chunks as scripts (src/start), unless it has no cache.
const { Script } = vm;
vm.Script = class extends Script {
  constructor(text, options) {
    super(text, options);
    loaded.files.push(options.filename);
  }
};
process.on('exit', () => writeSync(2, `\nloaded: ${JSON.stringify(loaded)}`));

'use strict';

// Loaded with `node -r` before the program: one of its calls that change files fails. FS_FAULTS says which, as JSON:
// see FsFault in fs-faults.ts.

const fs = require('node:fs');

const faults = JSON.parse(process.env.FS_FAULTS ?? '{}');
const { appendFileSync, closeSync, writeSync } = fs;
/** Paths of open files, by descriptor. */
const open = new Map();
let calls = 0;
let broken = false;

const writes = new Set(['write', 'writeFile', 'appendFile']);
/** The calls that a full disk refuses. */
const takesSpace = new Set([...writes, 'open', 'mkdir', 'link', 'symlink', 'copyFile', 'rename', 'fsync']);
const onDescriptors = new Set(['write', 'fsync', 'fdatasync', 'fchmod', 'fchown', 'ftruncate', 'futimes']);
const onPaths = [
  'writeFile',
  'appendFile',
  'rename',
  'link',
  'symlink',
  'unlink',
  'rm',
  'rmdir',
  'mkdir',
  'chmod',
];
const more = ['chown', 'utimes', 'truncate', 'copyFile'];

for (const name of [...onDescriptors, ...onPaths, ...more]) {
  patchSync(name);
  patchCallback(name);
  patchPromise(name);
}
patchOpen();
patchClose();

function patchSync(name) {
  const original = fs[`${name}Sync`];
  fs[`${name}Sync`] = (...args) => {
    const fault = faultOf(name, args);
    if (fault === null) return original(...args);
    if (writes.has(name) && faults.half) return half(name, args, fault);
    throw fault;
  };
}

function patchCallback(name) {
  const original = fs[name];
  fs[name] = (...args) => {
    const done = args.at(-1);
    const fault = faultOf(name, args);
    if (fault === null) return original(...args);
    if (!writes.has(name) || !faults.half) return process.nextTick(done, fault);
    try {
      const count = half(name, args, fault);
      process.nextTick(done, null, count, args[1]);
    } catch (thrown) {
      process.nextTick(done, thrown);
    }
  };
  // Like the originals: `promisify(fs.write)` resolves to an object.
  for (const symbol of Object.getOwnPropertySymbols(original)) fs[name][symbol] = original[symbol];
}

function patchPromise(name) {
  const original = fs.promises[name];
  if (original === undefined) return;
  fs.promises[name] = async (...args) => {
    const fault = faultOf(name, args);
    if (fault !== null) throw fault;
    return original(...args);
  };
}

function patchOpen() {
  const { openSync, open: openCallback } = fs;
  fs.openSync = (...args) => {
    const fault = changes(args[1]) ? faultOf('open', args) : null;
    if (fault !== null) throw fault;
    const descriptor = openSync(...args);
    open.set(descriptor, String(args[0]));
    return descriptor;
  };
  fs.open = (...args) => {
    const done = args.pop();
    const fault = changes(args[1]) ? faultOf('open', args) : null;
    if (fault !== null) return process.nextTick(done, fault);
    openCallback(...args, (failure, descriptor) => {
      if (!failure) open.set(descriptor, String(args[0]));
      done(failure, descriptor);
    });
  };
}

function patchClose() {
  fs.closeSync = (descriptor) => {
    open.delete(descriptor);
    return closeSync(descriptor);
  };
}

function changes(flags) {
  const { O_WRONLY, O_RDWR, O_CREAT } = fs.constants;
  return typeof flags === 'number'
    ? (flags & (O_WRONLY | O_RDWR | O_CREAT)) !== 0
    : /[wa+x]/.test(flags ?? 'r');
}

/** Null for no fault. Does not return if the fault kills the process. */
function faultOf(name, [target, second]) {
  const path = typeof target === 'number' ? open.get(target) : String(target);
  if (path === undefined || !path.startsWith(faults.under)) return null;
  // Deleting a missing file does not count.
  if ((name === 'rm' || name === 'unlink') && !fs.existsSync(target)) return null;
  if (faults.path !== undefined && !`${path} ${second}`.includes(faults.path)) return null;
  calls += 1;
  if (faults.log !== undefined) appendFileSync(faults.log, `${name} ${path}\n`);
  if (calls !== faults.nth && !broken) return null;
  if (faults.lasting) broken = true;
  if (faults.act === 'ENOSPC' && !takesSpace.has(name)) return null;
  if (faults.act === 'kill' && !(faults.half && writes.has(name))) die();
  return Object.assign(new Error(`${faults.act}: an injected fault, ${name}`), { code: faults.act });
}

/** Writes a part; then the process dies or the disk is full, which `write` reports only on the next call. */
function half(name, [target, data, ...rest], fault) {
  const bytes = Buffer.from(data);
  const written = bytes.subarray(0, bytes.length >> 1);
  if (name === 'write')
    writeSync(target, written, 0, written.length, typeof rest[0] === 'function' ? null : rest[0]);
  else {
    const descriptor =
      typeof target === 'number' ? target : fs.openSync(target, rest[0]?.flag ?? 'w', rest[0]?.mode);
    writeSync(descriptor, written);
  }
  if (faults.act === 'kill') die();
  broken = true;
  if (name === 'write') return written.length;
  throw fault;
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment: do nothing until then.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
}

#!/usr/bin/env node
'use strict';
// The command. It checks the version of Node before it loads anything, in syntax that old versions can read: they would
// fail later, with a message about roster's own code. Must agree with `engines` of package.json.
const version = process.versions.node;
const [major, minor, patch] = version.split('.').map(Number);
const isSupported =
  major === 20 ? minor > 18 || (minor === 18 && patch >= 1) : major > 22 || (major === 22 && minor >= 9);

if (isSupported) {
  import('./entry.js');
} else {
  process.stderr.write(
    `error: roster needs Node 22.9 or later, or 20.18.1 or later on the 20 line. This is Node ${version}\n`,
  );
  process.exitCode = 1;
}

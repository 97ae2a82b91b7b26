/** Folders cannot be flushed, as on some network drives. */
const fs = require('node:fs');
const { fsyncSync } = fs;
fs.fsyncSync = (file) => {
  if (fs.fstatSync(file).isDirectory())
    throw Object.assign(new Error('EINVAL: invalid argument, fsync'), { code: 'EINVAL' });
  fsyncSync(file);
};

import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '../../files/errno.js';
import { makeFolders } from '../../files/new-file.js';
import { sweepParts } from '../../files/part-file.js';
import { problem } from '../../model/diagnostic.js';

/** The folder of downloads, made if it does not exist, without what killed runs have left. Throws a Problem. */
export function openFolder(folder: string, cwd: string, flag: string): string {
  // In CI, it is a variable that is not set.
  if (folder === '') throw problem('usage', `${flag} is empty`, `Name a folder: \`${flag} data\`.`);
  const path = resolve(cwd, folder);
  try {
    makeFolders(path);
    accessSync(path, constants.W_OK);
  } catch (failure) {
    const help = 'Name a folder in which you can write.';
    throw problem('unwritable-file', `${flag}: cannot write to ${folder}: ${reasonOf(failure)}`, help);
  }
  sweepParts(path);
  return path;
}

import type { FileHandle } from 'node:fs/promises';

/** A comment of the longest length may follow the end record. */
const LONGEST_END_BYTES = 22 + 65_535;
const END_SIGNATURE = 0x06054b50;
const MANY = 0xffff;

/**
 * How many files a zip holds, by the record at its very end: `many` for a zip64, which keeps the number elsewhere. Null
 * when there is none, as in a zip that was cut.
 */
export async function zipEntries(file: FileHandle, size: number): Promise<number | 'many' | null> {
  const length = Math.min(size, LONGEST_END_BYTES);
  const tail = Buffer.alloc(length);
  await file.read(tail, 0, length, size - length);
  for (let at = length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    if (at + 22 + tail.readUInt16LE(at + 20) !== length) continue;
    const count = tail.readUInt16LE(at + 10);
    return count === MANY ? 'many' : count;
  }
  return null;
}

import type { FileHandle } from 'node:fs/promises';

/** A comment of the longest length may follow the end record. */
const LONGEST_END_BYTES = 22 + 65_535;
const END_SIGNATURE = 0x06054b50;
/** A zip64 has this record in front of its end record, and may keep any of the numbers elsewhere. */
const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const MANY = 0xffff;

/**
 * The number of files in a zip, from the record at its end; `many` for a zip64, which keeps the number elsewhere. Null if
 * there is no such record, as in a zip that was cut off, or if it belongs to a zip of another length: one with a piece
 * missing, or one inside a zip that was cut off.
 */
export async function zipEntries(file: FileHandle, size: number): Promise<number | 'many' | null> {
  const length = Math.min(size, LONGEST_END_BYTES);
  const tail = Buffer.alloc(length);
  await file.read(tail, 0, length, size - length);
  for (let at = length - 22; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    if (at + 22 + tail.readUInt16LE(at + 20) !== length) continue;
    const isLarge = at >= LOCATOR_BYTES && tail.readUInt32LE(at - LOCATOR_BYTES) === LOCATOR_SIGNATURE;
    if (!isLarge && listEnd(tail, at) !== size - length + at) continue;
    const count = tail.readUInt16LE(at + 10);
    return count === MANY ? 'many' : count;
  }
  return null;
}

/** The end of the list of files, by the end record, which must follow it. */
function listEnd(tail: Buffer, at: number): number {
  return tail.readUInt32LE(at + 12) + tail.readUInt32LE(at + 16);
}

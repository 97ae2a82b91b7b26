import { expect, test } from 'vitest';
import { type CachedChunks, decode, encode } from '../../../src/start/cache-file.js';

const parts: CachedChunks = new Map([
  ['main.cjs', { size: 10, modified: 1.5, code: Buffer.from('compiled code') }],
  ['empty.cjs', { size: 0, modified: 2, code: Buffer.alloc(0) }],
  ['chunk.cjs', { size: 20, modified: 3, code: Buffer.from(Array.from({ length: 64 }, (_, byte) => byte)) }],
]);
const bytes = Buffer.concat(encode('key', parts));

test('what was encoded is decoded', () => {
  expect(decode(bytes, 'key')).toEqual(parts);
});

test('the code of each part begins at a multiple of eight bytes, so that V8 need not copy it', () => {
  const found = [...(decode(bytes, 'key')?.values() ?? [])];
  expect(found.map(({ code }) => (code.byteOffset - bytes.byteOffset) % 8)).toEqual([0, 0, 0]);
});

test('nothing is decoded for another key', () => {
  expect(decode(bytes, 'another key')).toBeNull();
});

test('no flipped bit goes unnoticed', () => {
  const noticed = Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return decode(damaged, 'key');
  });
  expect(noticed.filter((each) => each !== null)).toEqual([]);
});

test('no missing end goes unnoticed', () => {
  const lengths = Array.from({ length: bytes.length }, (_, length) => length);
  expect(lengths.filter((length) => decode(bytes.subarray(0, length), 'key') !== null)).toEqual([]);
});

test('no range of zeros goes unnoticed, as a crash of the machine can leave it', () => {
  const unnoticed: [number, number][] = [];
  for (let begin = 0; begin < bytes.length; begin += 8)
    for (let end = begin + 8; end <= bytes.length; end += 8) {
      const damaged = Buffer.from(bytes).fill(0, begin, end);
      if (!damaged.equals(bytes) && quietly(() => decode(damaged, 'key')) !== null)
        unnoticed.push([begin, end]);
    }
  expect(unnoticed).toEqual([]);
});

const half = (text: string, ...rest: Buffer[]) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const one = Buffer.concat([length, Buffer.from(text), ...rest]);
  return Buffer.concat([one, one]);
};

test.each([
  ['is not JSON', '{'],
  ['is not a list', '{}'],
  ['has no rows', '["key"]'],
  ['has a row that is none', '["key",[1]]'],
  ['names more code than there is', '["key",[["a",1,1,800]]]'],
  ['names a length that is none', '["key",[["a",1,1,"x"]]]'],
])('nothing is decoded when both halves have a header that %s', (_, text) => {
  expect(quietly(() => decode(half(text.padEnd(60)), 'key'))).toBeNull();
});

test('nothing is decoded when both halves have a header that is longer than they are', () => {
  const length = Buffer.from([255, 255, 255, 255]);
  expect(quietly(() => decode(Buffer.concat([length, length]), 'key'))).toBeNull();
});

/** The caller takes an exception as "there is no cache". */
function quietly<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

/** A text, or why the bytes are not one: `offset` counts bytes from 0, `before` is the text up to there. */
export type Decoded =
  | { readonly text: string }
  | { readonly problem: string; readonly offset: number; readonly before: string };

/** Reads UTF-8 with or without a byte order mark, and never replaces invalid bytes silently. */
export function decode(bytes: Uint8Array): Decoded {
  if (isUtf16(bytes)) return { problem: 'the file is UTF-16', offset: 0, before: '' };
  const zero = bytes.indexOf(0);
  if (zero !== -1) return brokenAt(zero, 'the file contains a NUL byte', bytes);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return brokenAt(firstBroken(bytes), 'the file is not valid UTF-8', bytes);
  }
}

/** By its byte order mark; or, without one, by the NUL byte that each letter of a Latin script has. */
function isUtf16([a, b, c, d]: Uint8Array): boolean {
  const marked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  return marked || (a === 0 && b !== 0 && c === 0 && d !== 0) || (a !== 0 && b === 0 && c !== 0 && d === 0);
}

function brokenAt(offset: number, problem: string, bytes: Uint8Array): Decoded {
  return { problem, offset, before: new TextDecoder('utf-8').decode(bytes.subarray(0, offset)) };
}

/** A replacement character is either an invalid byte, or itself: then its own three bytes are in the file. */
function firstBroken(bytes: Uint8Array): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at !== -1; at = text.indexOf('\ufffd', at + 1)) {
    offset += Buffer.byteLength(text.slice(from, at));
    from = at;
    const genuine = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!genuine) return offset;
  }
  return offset;
}

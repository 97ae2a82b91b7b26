/** A text, or why the bytes are none: `offset` counts bytes from 0, `before` is the text up to there. */
export type Decoded =
  | { readonly text: string }
  | { readonly problem: string; readonly offset: number; readonly before: string };

/** Reads UTF-8 with or without a byte order mark. Nothing is replaced silently. */
export function decode(bytes: Uint8Array): Decoded {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (utf16) return { problem: 'the file is UTF-16', offset: 0, before: '' };
  const zero = bytes.indexOf(0);
  if (zero !== -1) return brokenAt(zero, 'the file holds a NUL byte', bytes);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return brokenAt(firstBroken(bytes), 'the file is not valid UTF-8', bytes);
  }
}

function brokenAt(offset: number, problem: string, bytes: Uint8Array): Decoded {
  return { problem, offset, before: new TextDecoder('utf-8').decode(bytes.subarray(0, offset)) };
}

/** The replacement character stands for broken bytes, or for itself: then its own three bytes are there. */
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

const beginnings = ['', 'refs/heads/', 'agent/', 'group/', 'https://', '0 0 0 ', '2026-'];
const pieces = ['a', 'A', '0', '9 ', ' ', '-', '_', '.', '/', ',', '*', '${', '${var.', 'a/', 'a.', '1-2,'];

/** Texts that match the patterns of the schemas up to their end: a pattern that can match in many ways tries them all. */
export function nearMatches(count: number): string[] {
  return beginnings.flatMap((beginning) =>
    pieces.map((piece) => `${beginning}${piece.repeat(count)}!\u0000`),
  );
}

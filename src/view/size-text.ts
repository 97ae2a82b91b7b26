/** `812 bytes`, `1.2 MB`: decimal, as file managers and download pages write sizes. */
export function fileSizeText(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  for (const [unit, size] of units) if (bytes >= size * 0.9995) return `${(bytes / size).toFixed(1)} ${unit}`;
  return `${(bytes / 1_000).toFixed(1)} kB`;
}

const units = [
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const;

const DAY_MS = 86_400_000;

/** `12 s`. A service may ask to wait for any time, and beyond a day nobody needs the number. */
export function waitText(milliseconds: number): string {
  return milliseconds > DAY_MS ? 'more than a day' : `${Math.ceil(milliseconds / 1000)} s`;
}

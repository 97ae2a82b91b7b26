import type { Diagnostic } from '../../model/diagnostic.js';

/** `done`: `downloaded`. Nothing without any that are left. */
export function interruption(left: number, all: number, done: string): readonly Diagnostic[] {
  if (left === 0) return [];
  const message = `interrupted: ${left} of ${all} datasets were not ${done}`;
  return [{ severity: 'error', code: 'interrupted', message }];
}

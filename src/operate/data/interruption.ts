import type { Diagnostic } from '../../model/diagnostic.js';

/** `done`: `downloaded`. `unclear`: of so many it is not known. Nothing without any that are left. */
export function interruption(left: number, all: number, done: string, unclear = 0): readonly Diagnostic[] {
  const parts = [
    ...(left === 0 ? [] : [`${left} of ${all} datasets were not ${done}`]),
    ...(unclear === 0 ? [] : [`of ${unclear} of ${all} datasets, it is not known whether they were ${done}`]),
  ];
  if (parts.length === 0) return [];
  return [{ severity: 'error', code: 'interrupted', message: `interrupted: ${parts.join(', and ')}` }];
}

import { failureJson, jsonText } from '../../view/json/plan-json.js';
import type { Output } from '../host/output.js';

/** Ends a command that an interrupt stops at once: JSON is still a value, and text says nothing. */
export function reportInterrupt(argv: readonly string[], output: Output): void {
  const message = 'interrupted before there was a result';
  if (asksForJson(argv))
    output.out(jsonText(failureJson([{ severity: 'error', code: 'interrupted', message }])));
}

export function asksForJson(argv: readonly string[]): boolean {
  return argv.includes('--format=json') || argv[argv.indexOf('--format') + 1] === 'json';
}

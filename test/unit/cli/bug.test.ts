import { expect, test } from 'vitest';
import { Output } from '../../../src/cli/output.js';
import { reportBug } from '../../../src/cli/usage.js';

class Captured extends Output {
  seen = { out: '', err: '' };
  override out(text: string): void {
    this.seen.out += this.redact(text);
  }
  override err(text: string): void {
    this.seen.err += this.redact(text);
  }
}

function told(argv: readonly string[]): Captured['seen'] {
  const output = new Captured();
  output.hide(['svc_live_canary']);
  reportBug(new TypeError('x is not a function, svc_live_canary'), argv, output);
  return output.seen;
}

test('a bug is told as one, with what a report of it needs and without secrets', () => {
  const { out, err } = told(['plan']);
  expect(err).toContain('error[internal]: x is not a function');
  expect(err).toContain('Please report this as a bug.');
  expect(out + err).not.toContain('svc_live_canary');
});

test('a bug is one JSON value where JSON is asked for', () => {
  const { diagnostics } = JSON.parse(told(['plan', '--format', 'json']).out);
  expect(diagnostics).toMatchObject([{ severity: 'error', code: 'internal' }]);
});

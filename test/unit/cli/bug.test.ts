import { expect, test } from 'vitest';
import { reportBug } from '../../../src/cli/command/usage.js';
import { Output } from '../../../src/cli/host/output.js';

class Captured extends Output {
  seen = { out: '', err: '' };
  override out(text: string): void {
    this.seen.out += this.redactor.text(text);
  }
  override err(text: string): void {
    this.seen.err += this.redactor.text(text);
  }
}

function reported(argv: readonly string[]): Captured['seen'] {
  const output = new Captured();
  output.redactor.hide(['svc_live_canary']);
  reportBug(new TypeError('x is not a function, svc_live_canary'), argv, output);
  return output.seen;
}

test('a bug is reported with what a bug report needs, and without secrets', () => {
  const { out, err } = reported(['plan']);
  expect(err).toContain('error[internal]: x is not a function');
  expect(err).toContain('Please report this as a bug.');
  expect(out + err).not.toContain('svc_live_canary');
});

test('a bug is one JSON value when JSON is asked for', () => {
  const { diagnostics } = JSON.parse(reported(['plan', '--format', 'json']).out);
  expect(diagnostics).toMatchObject([{ severity: 'error', code: 'internal' }]);
});

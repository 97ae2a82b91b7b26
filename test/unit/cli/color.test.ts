import { expect, test } from 'vitest';
import { type Host, useColor } from '../../../src/cli/host/host.js';

function colored(env: Record<string, string>, terminal: boolean, color?: boolean): boolean {
  return useColor(color === undefined ? {} : { color }, { env } as unknown as Host, terminal);
}

test.each([
  ['on a terminal', {}, true, undefined, true],
  ['not in a pipe', {}, false, undefined, false],
  ['not on a dumb terminal', { TERM: 'dumb' }, true, undefined, false],
  ['in a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, false, undefined, true],
  ['on a dumb terminal with FORCE_COLOR', { FORCE_COLOR: 'true', TERM: 'dumb' }, true, undefined, true],
  ['as without FORCE_COLOR when it is empty', { FORCE_COLOR: '' }, false, undefined, false],
  ['not on a terminal with FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, undefined, false],
  ['not on a terminal with FORCE_COLOR=false', { FORCE_COLOR: 'false' }, true, undefined, false],
  ['not with NO_COLOR, even with FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, undefined, false],
  ['not with --no-color, even with FORCE_COLOR', { FORCE_COLOR: '1' }, true, false, false],
])('text is colored %s', (_, env, terminal, flag, expected) => {
  expect(colored(env, terminal, flag)).toBe(expected);
});

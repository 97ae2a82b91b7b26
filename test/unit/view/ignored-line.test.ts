import { describe, expect, it } from 'vitest';
import { ignoredLine } from '../../../src/view/ignored-line.js';

function line(...keys: string[]): string | null {
  const properties = Object.fromEntries(keys.map((key) => [`schedule/${key}`, ['enabled']]));
  return ignoredLine({ ignored: { properties, differences: 1 } });
}

describe('the line that counts ignored differences', () => {
  it('gives the command for up to three resources with `ignore`', () => {
    expect(line('a', 'b', 'c')).toBe(
      'Ignored here: 1 difference (roster why schedule/a schedule/b schedule/c).',
    );
  });

  it('names none of more than three', () => {
    expect(line('a', 'b', 'c', 'd')).toBe('Ignored here: 1 difference (roster why ADDRESS).');
  });
});

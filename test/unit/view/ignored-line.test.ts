import { describe, expect, it } from 'vitest';
import { ignoredLine } from '../../../src/view/ignored-line.js';

function line(...keys: string[]): string | null {
  const differing = keys.map((key) => `schedule/${key}`);
  const properties = Object.fromEntries([...differing, 'schedule/same'].map((each) => [each, ['enabled']]));
  return ignoredLine({ ignored: { properties, differences: 1, differing } });
}

describe('the line that counts ignored differences', () => {
  it('gives the command for up to three resources that differ', () => {
    expect(line('a', 'b', 'c')).toBe(
      'Ignored here: 1 difference (roster why schedule/a schedule/b schedule/c).',
    );
  });

  it('names none of more than three', () => {
    expect(line('a', 'b', 'c', 'd')).toBe('Ignored here: 1 difference (roster why ADDRESS).');
  });
});

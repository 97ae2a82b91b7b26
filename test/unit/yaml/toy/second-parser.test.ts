import { expect, it, vi } from 'vitest';
import { yamlRules } from '../../../../src/manifest/yaml-rules.js';
import { parserSteps } from '../../../../src/yaml/library.js';
import { readYaml } from '../../../../src/yaml/read.js';
import { Source } from '../../../../src/yaml/source.js';

vi.mock('../../../../src/yaml/library.js', { spy: true });

function read(text: string) {
  const usage = { values: 0, collections: 0, expanded: 0 };
  return readYaml(new Source('f.yaml', text, 1), { usage, suggest: () => null, rules: yamlRules });
}

it('the second parser is used only for a file that the first refuses', () => {
  vi.mocked(parserSteps).mockClear();
  expect(read('a: &x [1, "b"]\nc: *x\n').problems).toEqual([]);
  expect(parserSteps).not.toHaveBeenCalled();
  expect(read('a: [1\n').problems).toHaveLength(1);
  expect(parserSteps).toHaveBeenCalledOnce();
});

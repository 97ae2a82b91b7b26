import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInputs } from '../../../src/cli/run.js';

test('--inputs says what is wrong with its file, and does not wait for a pipe', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inputs-'));
  try {
    writeFileSync(join(folder, 'broken.json'), '{ "a": ');
    writeFileSync(join(folder, 'list.json'), '[]');
    writeFileSync(join(folder, 'utf16.json'), Buffer.from('\ufeff{ "a": 1 }', 'utf16le'));
    writeFileSync(join(folder, 'mark.json'), '\ufeff{ "a": 1 }');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const read = (inputs: string) => runInputs({ inputs }, folder);
    await expect(read('broken.json')).rejects.toThrow('is not JSON, or is nested too deeply');
    await expect(read('list.json')).rejects.toThrow('is not a JSON object');
    await expect(read('pipe')).rejects.toThrow('is not a regular file');
    await expect(read('utf16.json')).rejects.toThrow('the file "utf16.json" of --inputs is UTF-16');
    expect(await read('mark.json')).toEqual({ a: 1 });
    await expect(read('absent.json')).rejects.toThrow('there is no file "absent.json"');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import { resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { readRegular } from '../../files/atomic.js';
import { problem } from '../../model/diagnostic.js';
import { isJsonObject, type JsonObject, parseJson } from '../../model/json.js';
import { findApiKeys } from '../../redact/api-keys.js';

interface InputFlags {
  readonly input?: readonly string[];
  readonly inputs?: string;
}

/** The inputs of `--inputs FILE|-` and `-i KEY=VALUE`; of a key in both, the latter counts. */
export async function runInputs({ input = [], inputs }: InputFlags, cwd: string): Promise<JsonObject> {
  const fromFile = inputs === undefined ? {} : await fileInputs(inputs, cwd);
  const given = new Map<string, string>();
  for (const each of input) {
    const at = each.indexOf('=');
    if (at < 1) throw problem('usage', `-i: "${each}" is not KEY=VALUE`, 'For example: `-i country=DE`.');
    const key = each.slice(0, at);
    if (given.has(key)) throw problem('usage', `-i: "${key}" is set twice`);
    given.set(key, each.slice(at + 1));
  }
  const all = { ...fromFile, ...Object.fromEntries(given) };
  if (findApiKeys(JSON.stringify(all)).length > 0)
    throw problem(
      'unsafe-text',
      'an input contains an API key',
      'Inputs are stored and shown by the service.',
    );
  return all;
}

async function fileInputs(file: string, cwd: string): Promise<JsonObject> {
  const value = parseJson(await contentOf(file, cwd));
  if (isJsonObject(value)) return value;
  const where = file === '-' ? 'stdin' : `"${file}"`;
  const what = value === undefined ? 'JSON, or is nested too deeply' : 'a JSON object';
  throw problem('usage', `--inputs: ${where} is not ${what}`, 'For example: `{ "country": "DE" }`.');
}

async function contentOf(file: string, cwd: string): Promise<string> {
  if (file === '-') return readText(process.stdin);
  const text = readRegular(resolve(cwd, file), `the file "${file}" of --inputs`);
  if (text === null) throw problem('unreadable-file', `--inputs: there is no file "${file}"`);
  return text;
}

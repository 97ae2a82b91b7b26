import { afterEach } from 'vitest';
import type { Sandbox, Seed } from '../../src/sandbox/index.js';
import { startSandbox, type VariantOptions } from '../support/sandbox.js';

/** A sandbox with a client, closed after the test. */

export interface Reply {
  readonly status: number;
  readonly body: Body;
  readonly text: string;
  readonly headers: Headers;
}

// biome-ignore lint/suspicious/noExplicitAny: tests inspect bodies of any shape
export type Body = any;

export interface Service extends Sandbox {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export const NOW = new Date('2026-11-01T12:00:00.000Z');
export const ACME = 'a9e00000-0000-4000-8000-000000000001';
export const GLOBEX = 'a9e00000-0000-4000-8000-000000000002';
export const INITECH = 'a9e00000-0000-4000-8000-000000000003';
export const HIDDEN = 'b0000000-0000-4000-8000-000000000000';
export const UNKNOWN = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
export const GROUP = 'c0000000-0000-4000-8000-000000000001';
export const OPERATOR_GROUP = 'c0000000-0000-4000-8000-000000000002';
export const HIDDEN_GROUP = 'c0000000-0000-4000-8000-000000000003';
export const PIPELINE = 'd0000000-0000-4000-8000-000000000001';
export const OPERATOR_PIPELINE = 'd0000000-0000-4000-8000-000000000002';
export const HIDDEN_PIPELINE = 'd0000000-0000-4000-8000-000000000003';

/** Three assigned agents and a hidden one; of groups and pipelines, one each that is the caller's, the operator's and hidden. */
export const SEED: Seed = {
  agents: [
    { id: ACME, externalAgentId: 'acme', name: 'Acme', inputParameters: [{ key: 'q', defaultValue: '' }] },
    { id: GLOBEX, externalAgentId: 'globex', name: 'Globex' },
    { id: INITECH, externalAgentId: 'initech', name: 'Initech' },
    { id: HIDDEN, externalAgentId: 'hidden', name: 'Hidden', assigned: false },
  ],
  groups: [
    { id: GROUP, name: 'Shops', members: ['acme', 'globex'] },
    { id: OPERATOR_GROUP, name: 'Theirs', members: ['acme'], canManage: false },
    { id: HIDDEN_GROUP, name: 'Unseen', members: ['acme', 'hidden'] },
  ],
  pipelines: [
    { id: PIPELINE, name: 'Nightly', steps: ['acme', 'globex'] },
    { id: OPERATOR_PIPELINE, name: 'Theirs', steps: ['acme'], canManage: false },
    { id: HIDDEN_PIPELINE, name: 'Unseen', steps: ['hidden'] },
  ],
};

const running: Sandbox[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
});

export async function service(options: VariantOptions = {}): Promise<Service> {
  const sandbox = await startSandbox({ seed: SEED, clock: () => NOW, ...options });
  running.push(sandbox);
  return { ...sandbox, call: caller(sandbox) };
}

function caller(sandbox: Sandbox): Service['call'] {
  return async (method, path, body, headers = { 'X-Api-Key': sandbox.apiKey }) => {
    const json = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(sandbox.url + path, { method, headers: { ...type, ...headers }, ...json });
    const text = await response.text();
    return { status: response.status, body: parsed(text), text, headers: response.headers };
  };
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

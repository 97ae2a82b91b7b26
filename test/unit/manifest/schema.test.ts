import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { load } from './project.js';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8'));

const example = `
project: pricing
service:
  url: https://collect.example.com
vars: { country: DE, zone: Europe/Berlin, on: true, agents: [a, b] }
environments:
  staging:    { service: { url: https://staging.example.com }, vars: { country: XX } }
  production: { vars: { country: DE } }
include: []
inventory: { file: roster.inventory.json }
prune: owned
limits: { deletes: 5, startsPerMinute: 60 }
scopes: [agents.run]
x-note: anything

groups:
  retail-prices:
    name: Retail prices
    description: Every shop with prices
    active: \${var.on}
    members: [acme-shop, globex, initech]
  of-a-variable: { members: "\${var.agents}", protect: true, formerly: old }
  theirs: { external: true, id: 42 }

pipelines:
  nightly-refresh:
    name: Nightly refresh
    stages: [login-check, catalogue, prices]

schedules:
  retail-hourly:
    target: group/retail-prices
    every: 6 hours
    startTime: 2026-12-01T06:00:00
    timeZone: \${var.zone}
    inputs: { country: "\${var.country}", nested: [1, { a: true }] }
    enabled: true
  nightly:
    target: pipeline/nightly-refresh
    cron: "0 30 2 * * *"
    startTime: 2026-12-01T00:00:00
  christmas:
    target: agent/acme-shop
    once: 2026-12-24T08:00:00

keys:
  ci:
    name: roster ci
    scopes: [agents.run]
    rotateAfter: 90 days
    deliver: { file: .secrets/ci.key }
  all: { scopes: full, deliver: { command: [sh, -c, "a\\nb"] } }
`;

describe('the published schemas', () => {
  const ajv = new Ajv({ strict: true, strictRequired: false, strictTypes: false });
  ajv.addVocabulary(['errorMessage', 'patternErrorMessage']);
  const project = ajv.compile(read('project.schema.json'));
  const manifest = ajv.compile(read('manifest.schema.json'));

  it('accept a whole project, and so does the loader', () => {
    expect(project(parse(example)), JSON.stringify(project.errors)).toBe(true);
    expect(load(example).diagnostics).toEqual([]);
    expect(load(example, { environment: 'staging' }).project?.url).toBe('https://staging.example.com');
  });

  it('accept a variable where the loader asks for the type of its value', () => {
    const group = (active: unknown) => ({ groups: { a: { members: [], active } } });
    expect(manifest(group('${' + 'var.on}'))).toBe(true);
    expect(manifest(group('yes'))).toBe(false);
    const wrong = example.replace('on: true', 'on: 1');
    expect(load(wrong).diagnostics).toMatchObject([
      { code: 'schema', message: '`active` must be true or false, not a number' },
    ]);
  });

  it('allow sections and x- alone in an included file', () => {
    expect(manifest({ 'x-a': 1, keys: {} })).toBe(true);
    expect(manifest({ vars: {} })).toBe(false);
  });

  it('describe every property, so that an editor is the manual', () => {
    const missing: string[] = [];
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const { properties, ...rest } = schema as { properties?: Record<string, { description?: string }> };
      for (const [name, each] of Object.entries(properties ?? {})) {
        if (!/\/(if|then|else)/.test(path) && each.description === undefined) missing.push(`${path}/${name}`);
        visit(each, `${path}/${name}`);
      }
      for (const [name, each] of Object.entries(rest)) visit(each, `${path}/${name}`);
    };
    visit(read('project.schema.json'), '');
    expect(missing).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { render, renderedYaml } from '../../../src/engine/render.js';
import { inFolder } from '../manifest/project.js';

const files = {
  'roster.yaml': `project: pricing
requires: ">=0.1"
service: { url: "https://collect.example.com" }
vars: { zones: { de: Europe/Berlin, fr: Europe/Paris }, word: "a $\${b} c" }
defaults: { schedules: { startTime: 2999-12-01T00:00:00 } }
environments:
  staging: { service: { url: "https://staging.example.com" }, defaults: { schedules: { enabled: false } } }
  production: {}
include: [teams/*.yaml]
removed: [schedule/old]
limits: { deletes: 7 }
schedules:
  prices-\${each.key}:
    each: \${var.zones}
    target: group/shops
    cron: "0 30 2 * * *"
    timeZone: \${each.value}
    inputs: { token: "\${env.TOKEN}", word: "\${var.word}", user: "\${var.word}-\${env.USER_NAME}" }
  special: { target: agent/acme-shop, once: 2999-12-24T08:00:00, environments: [production] }
`,
  'teams/shops.yaml': `groups:
  shops2: { members: [], description: "Two\\nlines" }
  shops10: { members: [] }
  shops: { members: [acme-shop], environments: [staging], protect: true }
`,
};

const expected = `project: pricing
requires: ">=0.1"
service: { url: "https://staging.example.com" }
removed: [schedule/old]
limits: { deletes: 7 }
environments: { staging: {}, production: {} }

groups:
  shops:
    members: [acme-shop]
    protect: true
  shops2:
    description: |-
      Two
      lines
    members: []
  shops10:
    members: []

schedules:
  prices-de:
    target: group/shops
    cron: "0 30 2 * * *"
    startTime: 2999-12-01T00:00:00
    timeZone: Europe/Berlin
    inputs: { token: "\${env.TOKEN}", word: "a $\${b} c", user: "a $\${b} c-\${env.USER_NAME}" }
    enabled: false
  prices-fr:
    target: group/shops
    cron: "0 30 2 * * *"
    startTime: 2999-12-01T00:00:00
    timeZone: Europe/Paris
    inputs: { token: "\${env.TOKEN}", word: "a $\${b} c", user: "a $\${b} c-\${env.USER_NAME}" }
    enabled: false
`;

describe('render', () => {
  it.each([
    ['without values of the environment', {}],
    ['with them', { TOKEN: 'hunter2-secret', USER_NAME: 'anna' }],
  ])('%s: each repeated, variables replaced, defaults and environment applied, entries sorted', (_, env) => {
    const rendered = inFolder(files, (cwd) => render({ cwd, env, environment: 'staging' }));
    expect(rendered.warnings).toEqual([]);
    expect(renderedYaml(rendered)).toBe(expected);
    const again = inFolder({ 'roster.yaml': expected }, (cwd) =>
      render({ cwd, env, environment: 'staging' }),
    );
    expect(renderedYaml(again)).toBe(expected);
  });

  it('some entries, by address or glob', () => {
    const { manifest } = inFolder(files, (cwd) =>
      render({ cwd, env: {}, environment: 'staging' }, ['schedule/*-fr', 'group/shops2']),
    );
    const keys = [manifest['groups'], manifest['schedules']].map((each) => Object.keys(each as object));
    expect(keys).toEqual([['shops2'], ['prices-fr']]);
  });

  it.each<[string, string[], string]>([
    ['an address that is not declared', ['group/shop'], 'usage'],
    ['an entry of another environment', ['schedule/special'], 'usage'],
  ])('%s is an error', (_, addresses, code) => {
    const run = () => inFolder(files, (cwd) => render({ cwd, env: {}, environment: 'staging' }, addresses));
    expect(run).toThrow(code);
  });

  it('an invalid project is an error', () => {
    const run = () =>
      inFolder({ 'roster.yaml': 'project: p\ngroups: { g: { members: 3 } }\n' }, (cwd) =>
        render({ cwd, env: {} }),
      );
    expect(run).toThrow('schema');
  });
});

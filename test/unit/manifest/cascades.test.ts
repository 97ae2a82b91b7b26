import { describe, expect, it } from 'vitest';
import { kinds } from '../../../src/kinds/index.js';
import { type FileTree, load, summary } from './project.js';

const nightly = 'schedules: { s: { target: group/a, once: "2030-01-01T00:00:00" } }\n';
const shops = '{ a: { members: [x] } }';
const using = 'groups: { a: { members: ["${var.shop}"] } }\n';
const key = 'keys: { k: { name: k, scopes: [teams.read], deliver: { file: k } } }\n';
const project = (text: string): FileTree => ({ 'roster.yaml': `project: p\n${text}` });

/** One mistake is one error: nothing that only follows from it. */
describe('one mistake is one error', () => {
  it.each<[string, FileTree, string[], string?]>([
    [
      'a misspelt section',
      project(`grops: ${shops}\n${nightly}`),
      ['roster.yaml:2:1 unknown-property «grops»'],
    ],
    [
      'a misspelt section next to the right one',
      project(`groups: { b: { members: [] } }\ngrops: ${shops}\n${nightly}`),
      ['roster.yaml:3:1 unknown-property «grops»'],
    ],
    [
      'a misspelt section in an included file',
      { ...project(`include: [a.yaml]\n${nightly}`), 'a.yaml': `grops: ${shops}\n` },
      ['a.yaml:1:1 unknown-property «grops»'],
    ],
    [
      'a section as a list',
      project(`groups: [{ name: a }]\n${nightly}`),
      ['roster.yaml:2:1 schema «groups»'],
    ],
    [
      'a misspelt section as a list',
      project(`grops: [{ name: a }]\n${nightly}`),
      ['roster.yaml:2:1 unknown-property «grops»'],
    ],
    [
      'a section under a name of its own',
      project(`teams: ${shops}\n${nightly}`),
      ['roster.yaml:2:1 unknown-property «teams»'],
    ],
    [
      'a section that is listed twice',
      project(`groups: { b: { members: [] } }\ngroups: ${shops}\n${nightly}`),
      ['roster.yaml:3:1 duplicate-entry «groups»'],
    ],
    [
      'variables that are listed twice',
      project(`vars: { a: 1 }\nvars: { shop: x }\n${using}`),
      ['roster.yaml:3:1 duplicate-entry «vars»'],
    ],
    [
      'variables in two documents',
      project(`vars: { a: 1 }\n---\nvars: { shop: x }\n${using}`),
      ['roster.yaml:4:1 duplicate-entry «vars»'],
    ],
    [
      'an unknown property that a merge key brings into several entries',
      project('x-a: &a { foo: 1, membrs: [x] }\ngroups: { g: { <<: *a }, h: { <<: *a } }\n'),
      ['roster.yaml:2:11 unknown-property «foo»', 'roster.yaml:2:19 unknown-property «membrs»'],
    ],
    [
      'an environment that does not exist',
      project(`environments: { staging: { vars: { shop: x } } }\n${using}`),
      ['roster.yaml:2:1 unknown-environment «environments»'],
      'stagin',
    ],
    ['misspelt variables', project(`var: { shop: x }\n${using}`), ['roster.yaml:2:1 unknown-property «var»']],
    [
      'misspelt variables next to the right ones',
      project(`vars: { a: 1 }\nvar: { shop: x }\n${using}`),
      ['roster.yaml:3:1 unknown-property «var»'],
    ],
    [
      'misspelt variables above the right ones',
      project(`var: { a: 1 }\nvars: { shop: x }\n${using}`),
      ['roster.yaml:2:1 unknown-property «var»'],
    ],
    [
      'a misspelt project above the right one',
      { 'roster.yaml': `projekt: q\nproject: p\ngroups: ${shops}\n` },
      ['roster.yaml:1:1 unknown-property «projekt»'],
    ],
    [
      'a misspelt setting in the document above the right one',
      {
        'roster.yaml': `servise: { url: "https://a.example" }\n---\nproject: p\nservice: { url: "https://b.example" }\n`,
      },
      ['roster.yaml:1:1 unknown-property «servise»'],
    ],
    [
      'variables under a name of their own',
      project(`constants: { shop: x }\n${using}`),
      ['roster.yaml:2:1 unknown-property «constants»'],
    ],
    [
      'variables in an included file',
      { ...project('include: [a.yaml]\n'), 'a.yaml': `vars: { shop: x }\n${using}` },
      ['a.yaml:1:1 unknown-property «vars»'],
    ],
    ['variables as a list', project(`vars: [shop]\n${using}`), ['roster.yaml:2:7 schema «[shop]»']],
    [
      'misspelt scopes',
      project(`scope: [agents.run, teams.read]\n${key}`),
      ['roster.yaml:2:1 unknown-property «scope»'],
    ],
    ['scopes as a text', project(`scopes: teams.read\n${key}`), ['roster.yaml:2:9 schema «teams.read»']],
    [
      'a misspelt include',
      { ...project(`inclde: [a.yaml]\n${nightly}`), 'a.yaml': `groups: ${shops}\n` },
      ['roster.yaml:2:1 unknown-property «inclde»'],
    ],
    [
      'an include in an included file',
      {
        ...project(`include: [b.yaml]\n${nightly}`),
        'b.yaml': 'include: [a.yaml]\n',
        'a.yaml': `groups: ${shops}\n`,
      },
      ['b.yaml:1:1 unknown-property «include»'],
    ],
  ])('%s is reported once', (_, files, expected, environment) => {
    expect(load(files, { kinds, environment: environment ?? null }).diagnostics.map(summary)).toEqual(
      expected,
    );
  });
});

describe('next to a mistake', () => {
  it.each<[string, FileTree, string[], string?]>([
    [
      'what a misspelt section does not hold',
      project(`grops: { b: { members: [] } }\n${nightly}`),
      ['roster.yaml:2:1 unknown-property «grops»', 'roster.yaml:3:27 unknown-reference «group/a»'],
    ],
    [
      'what is of another kind than a section that cannot be read',
      project(`pipelines: []\n${nightly}`),
      ['roster.yaml:2:1 schema «pipelines»', 'roster.yaml:3:27 unknown-reference «group/a»'],
    ],
    [
      'a mistake in a section that is listed twice',
      project(`groups: ${shops}\ngroups: { a: { members: [] }, b: {} }\n`),
      [
        'roster.yaml:3:1 duplicate-entry «groups»',
        'roster.yaml:3:11 duplicate-entry «a»',
        'roster.yaml:3:31 schema «b»',
      ],
    ],
    [
      'a variable that no environment has',
      project(`environments: { staging: { vars: { shops: x } } }\n${using}`),
      [
        'roster.yaml:2:1 unknown-environment «environments»',
        'roster.yaml:3:27 unknown-variable «${var.shop}»',
      ],
      'stagin',
    ],
  ])('%s is reported, too', (_, files, expected, environment) => {
    expect(load(files, { kinds, environment: environment ?? null }).diagnostics.map(summary)).toEqual(
      expected,
    );
  });
});

describe('files', () => {
  it.each<[string, FileTree, boolean]>([
    ['all there are', { ...project('include: ["*.yaml"]\n'), 'a.yaml': 'groups: {}\n' }, true],
    ['with mistakes that are no matter of files', project('grops: 1\nfoo: {}\n'), true],
    ['a control character', project('# \u0001\n'), false],
    [
      'one in an included file',
      { ...project('include: [a.yaml]\n'), 'a.yaml': 'groups: {} # \u0001\n' },
      false,
    ],
    ['a syntax error', { ...project('include: [a.yaml]\n'), 'a.yaml': 'groups: {\n' }, false],
    ['one that does not exist', project('include: [a.yaml]\n'), false],
    ['a text for a list', { ...project('include: t.yaml\n'), 't.yaml': 'groups: {}\n' }, false],
    ['an item that is not text', project('include: [[t.yaml]]\n'), false],
    ['a variable that is not set', project('include: ["${env.NOPE}/t.yaml"]\n'), false],
    ['a variable from the environment', project('include: ["${env.HERE}/t.yaml"]\n'), false],
    ['a path out of the folder', project('include: [../t.yaml]\n'), false],
    ['a second list', { ...project('include: []\ninclude: [t.yaml]\n'), 't.yaml': 'groups: {}\n' }, false],
    ['no project', {}, false],
  ])('%s', (_, files, allFiles) => {
    expect(load(files, { env: { HERE: 'here' } }).allFiles).toBe(allFiles);
  });

  it('that are not searched for because the project cannot be read are mentioned', () => {
    const [reported] = load({
      'roster.yaml': 'project: p\ninclude: [a.yaml]\ngroups: {\n',
      'a.yaml': '{',
    }).diagnostics;
    expect(reported?.help).toMatch(/Included files are not checked until this file is valid/);
    const [other] = load({ 'roster.yaml': 'project: p\ngroups: {\n' }).diagnostics;
    expect(other?.help ?? '').not.toContain('include');
  });
});

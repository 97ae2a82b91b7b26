import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inFolder, load, loadFrom, problems, summary } from './project.js';

const group = (name: string) => `groups: { ${name}: { members: [] } }\n`;
const including = (items: string) => `project: p\ninclude: ${items}\n`;

describe('roster.yaml', () => {
  it('is found in the closest parent, and named relative to the working directory', () => {
    inFolder({ 'roster.yaml': `project: p\n${group('a')}`, 'x/y/z.txt': '' }, (folder) => {
      const { project } = loadFrom(join(folder, 'x/y'));
      expect(project).toMatchObject({ root: folder, file: '../../roster.yaml' });
      expect(project?.entries[0]?.source.file).toBe('../../roster.yaml');
    });
  });

  it('is selected with -f', () => {
    inFolder({ 'sub/other.yaml': `project: p\n${group('a')}` }, (folder) => {
      expect(loadFrom(folder, { file: 'sub/other.yaml' }).project).toMatchObject({
        root: join(folder, 'sub'),
        file: 'sub/other.yaml',
      });
      expect(loadFrom(folder, { file: 'nope.yaml' }).diagnostics.map(summary)).toEqual(['- unreadable-file']);
      expect(loadFrom(folder, { file: 'sub' }).diagnostics.map(summary)).toEqual(['- unreadable-file']);
    });
  });

  it('is not selected with an empty -f', () => {
    expect(load(`project: p\n${group('a')}`, { file: '' }).diagnostics).toMatchObject([
      { code: 'usage', message: '`-f` requires a file name' },
    ]);
  });

  it('is required', () => {
    const [reported] = load({ 'roster.yml': 'project: p\n' }).diagnostics;
    expect(reported).toMatchObject({ code: 'missing-setting' });
    expect(reported?.help).toContain('roster.yml');
    expect(load({}).diagnostics[0]?.help).toContain('select a file with `-f`');
  });

  it('is not a link', () => {
    inFolder({ 'secret.txt': 'project: p\n' }, (folder) => {
      symlinkSync('secret.txt', join(folder, 'roster.yaml'));
      expect(loadFrom(folder).diagnostics.map(summary)).toEqual(['- unreadable-file']);
    });
  });
});

describe('a file that a glob of include almost matches', () => {
  it.each<[glob: string, file: string]>([
    ['teams/*.yaml', 'teams/travel.yml'],
    ['teams/*.yml', 'teams/travel.yaml'],
    ['teams/*.yaml', 'teams/travel.YAML'],
    ['teams/Tr*.yaml', 'teams/travel.yaml'],
    ['**/*.yaml', 'teams/travel.yml'],
  ])('is reported: %s does not match %s', (glob, file) => {
    const { diagnostics } = load({
      'roster.yaml': including(`["${glob}", "teams/retail.*"]`),
      'teams/retail.yaml': group('a'),
      [file]: group('b'),
    });
    const [reported] = diagnostics.filter(({ code }) => code === 'not-included');
    expect(reported).toMatchObject({ severity: 'warning', place: { line: 2 } });
    expect(reported?.message).toContain(file);
  });

  it.each<[items: string, file: string]>([
    ['[teams/*.yaml, teams/*.yml]', 'teams/travel.yml'],
    ['["teams/*.{yaml,yml}"]', 'teams/travel.yml'],
    ['[teams/*.yaml]', 'teams/travel.json'],
    ['[teams/*.yaml]', 'other/travel.yml'],
    ['[teams/retail.yaml]', 'teams/retail.yml'],
    ['[teams/*.yaml, "*.yml"]', 'other/travel.yml'],
  ])('is not reported: %s with %s', (items, file) => {
    const { diagnostics } = load({
      'roster.yaml': including(items),
      'extra.yml': group('c'),
      'teams/retail.yaml': group('a'),
      [file]: group('b'),
    });
    expect(diagnostics.map(({ code }) => code)).not.toContain('not-included');
  });
});

describe('include', () => {
  it('reads each file once, in order of their names', () => {
    const { project, diagnostics } = load({
      'roster.yaml': including('[teams/*.yaml, ./teams/b.yaml, "*.yaml", "{teams,more}/*.yaml"]'),
      'teams/b.yaml': group('b'),
      'teams/a.yaml': group('a'),
      'more/c.yaml': group('c'),
    });
    expect(diagnostics).toEqual([]);
    expect(project?.entries.map((each) => `${each.source.file} ${each.key}`)).toEqual([
      'more/c.yaml c',
      'teams/a.yaml a',
      'teams/b.yaml b',
    ]);
  });

  it('allows only sections and x- keys in an included file', () => {
    const files = {
      'roster.yaml': including('[a.yaml]'),
      'a.yaml': `x-y: 1\nvars: {}\ngroup: {}\n${group('a')}`,
    };
    expect(problems(files)).toEqual([
      'a.yaml:2:1 unknown-property «vars»',
      'a.yaml:3:1 unknown-property «group»',
    ]);
    expect(problems({ ...files, 'a.yaml': '# nothing\n' })).toEqual(['a.yaml:1:1 warning schema «#»']);
  });

  it.each<[string, string]>([
    ['[nope.yaml]', '2:11 unreadable-file «nope.yaml»'],
    ['[no/pe.yaml]', '2:11 unreadable-file «no/pe.yaml»'],
    ['["no/*.yaml"]', '2:11 warning unreadable-file «"no/*.yaml"»'],
    ['[../x.yaml]', '2:11 unreadable-file «../x.yaml»'],
    ['["a/../../*.yaml"]', '2:11 unreadable-file «"a/../../*.yaml"»'],
    ['["{..,a}/*.yaml"]', '2:11 unreadable-file «"{..,a}/*.yaml"»'],
    ['[/etc/passwd]', '2:11 unreadable-file «/etc/passwd»'],
    ['["C:/x.yaml"]', '2:11 unreadable-file «"C:/x.yaml"»'],
    ["['a\\b.yaml']", "2:11 unreadable-file «'a\\b.yaml'»"],
    ['["!a.yaml"]', '2:11 unreadable-file «"!a.yaml"»'],
    ['["a\\e[2J.yaml"]', '2:11 unsafe-text «"a\\e[2J.yaml"»'],
    ['[1]', '2:11 schema «1»'],
    ['x.yaml', '2:10 schema «x.yaml»'],
  ])('refuses %s', (items, expected) => {
    expect(problems(including(items))).toEqual([`roster.yaml:${expected}`]);
  });

  it.each<[string, string | undefined]>([
    ['teams/retial.yaml', 'Did you mean "teams/retail.yaml"?'],
    ['teems/retail.yaml', 'Did you mean "teams/retail.yaml"?'],
    ['teems/retial.yaml', 'Did you mean "teams/retail.yaml"?'],
    ['teams/retail.yml', 'Did you mean "teams/retail.yaml"?'],
    ['teams/linc.yaml', undefined],
    ['lonk/retail.yaml', undefined],
    ['teams/depp.yaml', undefined],
    ['quite/other.yaml', undefined],
  ])('suggests the closest file for %s', (path, help) => {
    const files = {
      'roster.yaml': including(`[${path}]`),
      'teams/retail.yaml': group('a'),
      'teams/deep/x': '',
    };
    inFolder(files, (folder) => {
      symlinkSync('retail.yaml', join(folder, 'teams/link.yaml'));
      symlinkSync('teams', join(folder, 'link'));
      expect(loadFrom(folder).diagnostics.map((each) => each.help)).toEqual([help]);
    });
  });

  const secret = 'hunter2: [secret';
  it.each<[string, string]>([
    ['.git/config', '".git/config" cannot be included: no name in its path may begin with a dot'],
    ['.env', '".env" cannot be included: no name in its path may begin with a dot'],
    ['a/.b.yaml', '"a/.b.yaml" cannot be included: no name in its path may begin with a dot'],
    ['".git/*"', '".git/config" cannot be included: no name in its path may begin with a dot'],
    ['".e*"', '".env" cannot be included: no name in its path may begin with a dot'],
    ['creds.json', '"creds.json" cannot be included: the name of a manifest must end in `.yaml` or `.yml`'],
    ['"cre*"', '"creds.json" cannot be included: the name of a manifest must end in `.yaml` or `.yml`'],
    ['"."', '"." cannot be included: no name in its path may begin with a dot'],
  ])('reads only manifests, not %s', (path, message) => {
    const files = { '.git/config': secret, '.env': secret, 'a/.b.yaml': secret, 'creds.json': secret };
    const { diagnostics } = load({ ...files, 'roster.yaml': including(`[${path}]`) });
    const errors = diagnostics.filter((each) => each.severity === 'error');
    expect(errors.map((each) => `${each.code} ${each.message}`)).toContain(`unreadable-file ${message}`);
    expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
  });

  it.skipIf(process.platform === 'win32').each<[string, string[]]>([
    ['"teams/*.yaml"', ['teams']],
    ['"*/a.yaml"', ['teams']],
    ['"t*/*.yaml"', ['teams']],
    ['"{teams,real}/*.yaml"', ['teams']],
    ['"**/*.yaml"', ['real/deep', 'teams']],
    ['"real/**/*.yaml"', ['real/deep']],
    ['"real/*.yaml"', []],
    ['"r*/a.yaml"', []],
  ])('a link to a folder that %s follows is an error', (pattern, links) => {
    inFolder({ 'roster.yaml': including(`[${pattern}]`), 'real/a.yaml': group('a') }, (folder) => {
      inFolder({ 'a.yaml': group('b') }, (outside) => {
        symlinkSync(outside, join(folder, 'teams'));
        symlinkSync(outside, join(folder, 'real/deep'));
        expect(loadFrom(folder).diagnostics.map((each) => each.message)).toEqual(
          links.map((link) => `"${link}" cannot be read: it is a symbolic link to a folder`),
        );
      });
    });
  });

  it('searches a limited number of files, however many patterns there are', () => {
    const folder = Array.from({ length: 1_300 }, (_, index) => [`t/${index}.txt`, ''] as const);
    const patterns = Array.from({ length: 800 }, (_, index) => `"t/${index}*.yaml"`);
    const files = { ...Object.fromEntries(folder), 'roster.yaml': including(`[${patterns.join(', ')}]`) };
    const reported = load(files).diagnostics.filter((each) => each.severity === 'error');
    expect(reported).toMatchObject([{ code: 'limit-exceeded', place: { line: 2 } }]);
  });

  it.skipIf(process.platform === 'win32')('follows no link and waits for no pipe', () => {
    const items =
      '[link.yaml, dir/a.yaml, "dir/*.yaml", loop.yaml, pipe.yaml, "pip*.yaml", real, "lin*.yaml", /dev/null]';
    inFolder({ 'roster.yaml': including(items), 'real/a.yaml': group('a') }, (folder) => {
      inFolder({ 'secret.yaml': 'hunter2' }, (outside) => {
        symlinkSync(join(outside, 'secret.yaml'), join(folder, 'link.yaml'));
        symlinkSync('real', join(folder, 'dir'));
        symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
        execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
        const { diagnostics, project } = loadFrom(folder);
        expect(project).toBeNull();
        expect(diagnostics.map(summary)).toEqual([
          'roster.yaml:2:11 unreadable-file «link.yaml»',
          'roster.yaml:2:22 unreadable-file «dir/a.yaml»',
          'roster.yaml:2:34 unreadable-file «"dir/*.yaml"»',
          'roster.yaml:2:48 unreadable-file «loop.yaml»',
          'roster.yaml:2:59 unreadable-file «pipe.yaml»',
          'roster.yaml:2:83 unreadable-file «real»',
          'roster.yaml:2:102 unreadable-file «/dev/null»',
        ]);
        expect(JSON.stringify(diagnostics)).not.toContain('hunter2');
      });
    });
  });

  it.skipIf(process.platform === 'win32')('refuses a pipe that only a glob names', () => {
    inFolder({ 'roster.yaml': including('["sub/*.yaml"]') }, (folder) => {
      mkdirSync(join(folder, 'sub'));
      execFileSync('mkfifo', [join(folder, 'sub/pipe.yaml')]);
      writeFileSync(join(folder, 'sub/a.yaml'), group('a'));
      expect(loadFrom(folder).diagnostics.map(summary)).toEqual([
        'roster.yaml:2:11 unreadable-file «"sub/*.yaml"»',
      ]);
    });
  });
});

describe('bytes', () => {
  it.each<[string, Uint8Array, string]>([
    ['UTF-16', Buffer.from('\ufeffproject: p\n', 'utf16le'), 'UTF-16 (byte 0)'],
    ['UTF-16 of the other order', Buffer.from('\ufeffproject: p\n', 'utf16le').swap16(), 'UTF-16 (byte 0)'],
    ['UTF-16 without a mark', Buffer.from('project: p\n', 'utf16le'), 'UTF-16 (byte 0)'],
    [
      'UTF-16 of the other order without a mark',
      Buffer.from('project: p\n', 'utf16le').swap16(),
      'UTF-16 (byte 0)',
    ],
    ['NUL', Buffer.from('project: p\n\0'), 'NUL byte (byte 11)'],
    ['broken UTF-8', Buffer.concat([Buffer.from('a: é\ufffd'), Buffer.from([0xff])]), 'UTF-8 (byte 8)'],
    ['Latin-1', Buffer.from('a: é', 'latin1'), 'UTF-8 (byte 3)'],
  ])('%s is refused with its offset', (_, bytes, expected) => {
    const { diagnostics } = load({ 'roster.yaml': bytes });
    expect(diagnostics).toMatchObject([{ code: 'unreadable-file' }]);
    expect(diagnostics[0]?.message).toContain(expected);
  });

  it('too many of them are refused', () => {
    const [reported] = load(`project: p\n${'#'.repeat(17 * 1024 * 1024)}`).diagnostics;
    expect(reported).toMatchObject({ code: 'limit-exceeded' });
  });
});

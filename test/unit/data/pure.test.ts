import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Reader } from '../../../src/model/request.js';
import { collectedTimes, needsTimes, newestOf } from '../../../src/operate/data/datasets.js';
import { dataFileName, extensionOf } from '../../../src/operate/data/download.js';
import { readLineage } from '../../../src/operate/data/lineage.js';
import { parseQuery, queryText, withColumns } from '../../../src/operate/data/rows.js';
import type { DatasetQuery } from '../../../src/service/operations/dataset-queries.js';
import type { Dataset } from '../../../src/service/operations/datasets.js';
import { fileSizeText } from '../../../src/view/data/data-text.js';
import { csvCell, csvText } from '../../../src/view/data/rows.js';
import { graphDot, graphMermaid, graphText } from '../../../src/view/graph/graph-formats.js';

describe('a condition', () => {
  test.each([
    ['price gt 10', { column: 'price', operator: 'gt', value: 10 }],
    ['name gt "m"', { column: 'name', operator: 'gt', value: 'm' }],
    ['price GTE -1.5', { column: 'price', operator: 'gte', value: -1.5 }],
    ['at lte 2026-01-01T10:00:00Z', { column: 'at', operator: 'lte', value: '2026-01-01T10:00:00Z' }],
    ['date gt 2026-01-01', { column: 'date', operator: 'gt', value: '2026-01-01' }],
    ['zip equals 01234', { column: 'zip', operator: 'equals', value: '01234' }],
    ['Unit price lt 5', { column: 'Unit price', operator: 'lt', value: 5 }],
    ['"is gt ok" equals yes', { column: 'is gt ok', operator: 'equals', value: 'yes' }],
    ['title contains red lamp', { column: 'title', operator: 'contains', value: 'red lamp' }],
    ["title equals ' a '", { column: 'title', operator: 'equals', value: ' a ' }],
    ["title equals ''", { column: 'title', operator: 'equals', value: '' }],
    ['title isempty', { column: 'title', operator: 'isempty' }],
    ['contains contains contains', { column: 'contains', operator: 'contains', value: 'contains' }],
  ])('%s', (text, condition) => {
    expect(parseQuery({ where: [text] }).filters).toEqual([condition]);
  });

  test.each([
    ['price > 3', 'Did you mean `gt`?'],
    ['price != 3', 'Did you mean `notequals`?'],
    ['price contians 3', 'Did you mean `contains`?'],
    ['price xyzzy 3', 'One of: contains, equals'],
    ['price', 'For example'],
    ['', 'For example'],
    ['price gt', 'empty value'],
    ['price gt abc', 'To compare it as text, put it in quotes: `gt "abc"`.'],
    ['price eq 3', 'Did you mean `equals`?'],
    ...['600,50', '600 EUR', '50%', '1_000', '$10', '2026-13-01', '5/2'].map((value): [string, string] => [
      `price gt ${value}`,
      `put it in quotes: \`gt "${value}"\``,
    ]),
  ])('%s is refused with a hint', (text, hint) => {
    expect(() => parseQuery({ where: [text] })).toThrow(
      expect.objectContaining({
        diagnostics: [expect.objectContaining({ help: expect.stringContaining(hint) })],
      }),
    );
  });

  test.each([
    ['0x1F', 'Write `31`, or put it in quotes to compare it as text.'],
    ['0X1EF', 'Write `495`, or put it in quotes to compare it as text.'],
    ['.50', 'Write `0.5`, or put it in quotes to compare it as text.'],
    ['0x20000000000001', 'Put it in quotes to compare it as text.'],
    ['+9007199254740993', 'Put it in quotes to compare it as text.'],
    ['.9007199254740993e999', 'Put it in quotes to compare it as text.'],
  ])('that compares with %s is refused, and no other number is proposed', (value, help) => {
    expect(() => parseQuery({ where: [`price gt ${value}`] })).toThrow(
      expect.objectContaining({ diagnostics: [expect.objectContaining({ code: 'inexact-number', help })] }),
    );
  });

  test('that takes no value is refused with one', () => {
    expect(() => parseQuery({ where: ['a isempty b'] })).toThrow('takes no value');
  });

  test('gets the case of its column from the dataset', () => {
    const query = withColumns(parseQuery({ where: ['PRICE gt 1'], sort: '-Title' }), ['price', 'title'], 'x');
    expect(query).toMatchObject({
      filters: [{ column: 'price' }],
      sortColumn: 'title',
      sortDirection: 'desc',
    });
  });

  test('is shown as it is typed', () => {
    const typed = { where: ['price gt 10', '"a b" isempty'], search: 'x', sort: '-price' };
    const query = parseQuery(typed);
    expect(queryText(query)).toBe(`--where 'price gt 10' --where '"a b" isempty' --search 'x' --sort -price`);
  });
});

/** The words of a command line, as a shell reads them. */
function wordsOf(line: string): string[] {
  return execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

describe('a query that is shown', () => {
  test.each<DatasetQuery>([
    { search: "it's" },
    { search: '$(touch x); `y` "z" \\' },
    { filters: [{ column: 'title', operator: 'equals', value: '' }] },
    { filters: [{ column: 'title', operator: 'equals', value: ' x ' }] },
    { filters: [{ column: 'title', operator: 'equals', value: '"x"' }] },
    { filters: [{ column: 'title', operator: 'contains', value: "'; rm -rf x; '" }] },
    { filters: [{ column: 'price', operator: 'gt', value: '10' }] },
    { filters: [{ column: 'name', operator: 'gt', value: 'm' }] },
    { filters: [{ column: 'price', operator: 'gt', value: 10 }] },
    { filters: [{ column: "a's $(x)", operator: 'isempty' }] },
    { sortColumn: 'Unit price', sortDirection: 'desc' },
    { sortColumn: 'a;touch$IFS-x', sortDirection: 'asc' },
  ])('is the same query when it is copied into a shell: %j', (query) => {
    const words = wordsOf(queryText(query));
    const of = (flag: string) => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []));
    const [search] = of('--search');
    const [sort] = of('--sort');
    expect(words).toHaveLength(2);
    expect(parseQuery({ where: of('--where'), search, sort })).toEqual(query);
  });
});

describe('the newest dataset', () => {
  const dataset = (id: string, expiresAt: string | null) => ({ id, expiresAt }) as Dataset;

  test('is the first one only if it alone expires last', () => {
    const [one, two] = [dataset('1', '2026-12-09T00:00:00Z'), dataset('2', '2026-12-09T00:00:00Z')];
    expect([needsTimes([one, two]), needsTimes([one, dataset('3', '2026-12-08T00:00:00Z')])]).toEqual([
      true,
      false,
    ]);
  });

  test('is the one whose job ended last where several expire at once', () => {
    const [one, two] = [dataset('1', null), dataset('2', null)];
    const times = new Map([
      ['1', '2026-12-01T00:00:00Z'],
      ['2', '2026-12-02T00:00:00Z'],
    ]);
    expect(newestOf([one, two], times)).toBe(two);
  });

  test('is the one that expires last where the ends of the jobs are not known', () => {
    const [one, two] = [dataset('1', '2026-12-08T00:00:00Z'), dataset('2', '2026-12-09T00:00:00Z')];
    expect(newestOf([one, two], new Map())).toBe(two);
  });
});

describe('the times of datasets', () => {
  /** Pages of runs without end. */
  function endlessRuns(runId: (page: number) => string) {
    const asked: string[] = [];
    const read = async ({ request }: { request: { path: string } }) => {
      asked.push(request.path);
      const run = { id: runId(asked.length), endTime: '2026-12-01T00:00:00Z' };
      return { items: [run], nextCursor: String(asked.length) };
    };
    return { asked, reader: { read, readAll: async () => [] } as unknown as Reader };
  }
  const datasets = Array.from({ length: 30 }, (_, index) => ({
    id: `d${index}`,
    jobId: null,
    runId: `run ${index + 1}`,
  }));

  test('are not searched without end where the runs are gone', async () => {
    const { asked, reader } = endlessRuns((page) => `other ${page}`);
    expect((await collectedTimes(reader, datasets)).size).toBe(0);
    expect(asked).toHaveLength(10);
  });

  test('are read as long as there are runs of some of them', async () => {
    const { asked, reader } = endlessRuns((page) => `run ${page}`);
    expect((await collectedTimes(reader, datasets)).size).toBe(30);
    expect(asked).toHaveLength(30);
  });
});

describe('CSV', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+49 30 1234', "'+49 30 1234"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', "'\\u{d}=1"],
    ['-5.25', '-5.25'],
    ['+1e3', '+1e3'],
    [-5, '-5'],
    ['a "b", c', '"a ""b"", c"'],
    ['two\nlines', '"two\nlines"'],
    [null, ''],
    [true, 'true'],
    [{ a: [1] }, '"{""a"":[1]}"'],
  ])('writes %j so that no spreadsheet runs it', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  test.each([
    ['a\u001b[31mb\u0000\u202e', 'a\\u{1b}[31mb\\u{0}\\u{202e}'],
    ['##[error]x', '#\\u{23}[error]x'],
    ['x\n ::error::y', '"x\n \\u{3a}:error::y"'],
    ['a\r\nb\tc', '"a\r\nb\tc"'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['::1', '::1'],
  ])('writes %j so that no terminal and no CI runner acts on it', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  test('begins no line with a command of a CI runner', () => {
    const common = { totalMatches: null, isTruncated: null };
    const rows = [{ '::error::a': '::error::b', b: '::1' }];
    const table = { id: '1', agent: null, columns: ['::error::a', 'b'], rows, ...common };
    expect(csvText([table])).toBe('"::error::a",b\r\n"::error::b",::1\r\n');
  });

  test('of several datasets has all of their columns, and the agent in front', () => {
    const common = { totalMatches: null, isTruncated: null };
    const tables = [
      { id: '1', agent: 'agent/a', columns: ['x', 'y'], rows: [{ x: 1, y: 2 }], ...common },
      { id: '2', agent: null, columns: ['y', 'z'], rows: [{ y: 3, z: 4 }], ...common },
    ];
    expect(csvText(tables)).toBe('agent,x,y,z\r\nagent/a,1,2,\r\n2,,3,4\r\n');
    expect(csvText(tables.slice(0, 1))).toBe('x,y\r\n1,2\r\n');
  });
});

describe('a lineage', () => {
  test('of 1,000 nodes with cycles is shown in each format', () => {
    const nodes = Array.from({ length: 1_000 }, (_, index) => ({
      id: `n${index}`,
      type: 'job',
      label: 'job',
    }));
    const edges = nodes.flatMap((_, index) => [
      { from: `n${index}`, to: `n${(index + 1) % 1_000}` },
      { from: `n${index}`, to: `n${index}` },
    ]);
    const { graph } = readLineage({ nodes, edges });
    expect(graphText(graph).trimEnd().split('\n')).toHaveLength(1_000);
    expect(graphMermaid(graph)).toHaveLength(3_001);
    expect(graphDot(graph, new Map()).match(/->/g)).toHaveLength(2_000);
  });

  test('with other names of its fields is read as well, and nothing is left out', () => {
    const nodes = [{ nodeId: 1, kind: 'Agent', name: 'Acme' }, 'bare', { odd: true }];
    const edges = [{ source: 1, target: 'missing' }, { sourceId: 'bare', targetId: 1 }, { strange: 1 }];
    const { nodes: read, edges: links } = readLineage({ nodes, edges });
    expect(read.map(({ id }) => id)).toEqual(['1', 'bare', 'node 3', 'missing']);
    expect(links).toEqual([
      { from: '1', to: 'missing' },
      { from: 'bare', to: '1' },
    ]);
  });

  test('names two nodes of the same label apart, and none by an inherited property', () => {
    const nodes = ['a', 'b'].map((id) => ({ id, type: 'run', label: 'x' }));
    const { graph } = readLineage({ nodes, edges: [{ from: 'constructor', to: '__proto__' }] });
    expect(graph.nodes).toEqual(['run x (a)', 'run x (b)', 'constructor', '__proto__']);
  });

  test('cannot control a terminal or end a label', () => {
    const nodes = [{ id: 'a', type: 'job', label: '"];\n\u001b[31m' }];
    const { graph } = readLineage({ nodes, edges: [] });
    for (const text of [graphText(graph), graphDot(graph, new Map()), graphMermaid(graph).join('\n')])
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(graphDot(graph, new Map())).toContain('\\"];\\\\u{a}');
  });
});

test.each([
  ['acme-shop', '2026-12-01T06:00:08.123Z', '.csv', 'acme-shop-20261201T060008Z.csv'],
  ['../../etc', '2026-12-01T06:00:08Z', '.csv', 'etc-20261201T060008Z.csv'],
  ['\ud83d\ude00 shop', '2026-12-01T06:00:08Z', '.csv', 'shop-20261201T060008Z.csv'],
  ['...', null, '.dat', 'data.dat'],
])('the name of a file of %j is safe', (stem, time, extension, name) => {
  expect(dataFileName(stem, time, extension)).toBe(name);
});

test.each([
  [['a.CSV'], null, '.csv'],
  [[null, 'b.xlsx'], 'text/csv', '.xlsx'],
  [['a.c/../v'], 'text/csv; charset=utf-8', '.csv'],
  [['a.waytoolongtobeone'], 'application/octet-stream', '.dat'],
])('the extension of %j and %j is %s', (names, type, extension) => {
  expect(extensionOf(names, type)).toBe(extension);
});

test.each([
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1.0 kB'],
  [999_960, '1.0 MB'],
  [2_500_000_000, '2.5 GB'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(fileSizeText(bytes)).toBe(text);
});

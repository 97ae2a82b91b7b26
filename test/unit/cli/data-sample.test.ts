import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DataWorld, dataWorld } from '../../support/data.js';

let world: DataWorld;
beforeEach(async () => {
  const fields = ['sku', 'price', 'inStock'];
  world = await dataWorld({
    agents: [
      { externalAgentId: 'shop', name: 'Shop', fields },
      { externalAgentId: 'bare', name: 'Bare', sample: false },
    ],
    groups: [{ name: 'Shops', members: ['shop', 'bare'] }],
  });
});
afterEach(() => world.close());

const records = [
  { sku: 'a', price: 1 },
  { sku: 'b', inStock: true },
];
const rawJson = JSON.stringify({ page: { items: records } });

describe('data sample', () => {
  test('shows the fields of an agent, with one request beside the list of agents', async () => {
    const { exit, stdout } = await world.run('data', 'sample', 'agent/shop');
    expect(exit).toBe(0);
    expect(stdout.split('\n').map((line) => line.trim().replace(/ +/g, ' '))).toEqual([
      'agent/shop: 3 fields in a sample of 3 records',
      'FIELD TYPE',
      'sku string',
      'price number',
      'inStock boolean',
      '',
    ]);
    expect(world.sandbox.requests.map(({ path }) => path.split('/').at(-1))).toEqual([
      'scraper-agents',
      'sample-output',
    ]);
  });

  test('prints JSON with the schema as the service writes it', async () => {
    const { samples } = await world.json('data', 'sample', 'agent/shop');
    const fields = [
      { name: 'sku', type: 'string' },
      { name: 'price', type: 'number' },
      { name: 'inStock', type: 'boolean' },
    ];
    expect(samples).toEqual([
      { agent: 'agent/shop', recordCount: 3, fieldCount: 3, recordPath: 'records', fields, schema: fields },
    ]);
  });

  test('says which agents of an address have none, and ends in 5', async () => {
    const { exit, samples, codes } = await world.json('data', 'sample', 'group/shops');
    expect(samples.map(({ agent }: { agent: string }) => agent)).toEqual(['agent/shop']);
    expect([exit, codes]).toEqual([5, ['data-unavailable']]);
  });

  test.each<[string, unknown, string[]]>([
    ['a list of names', ['sku', 'price'], ['sku -', 'price -']],
    ['a list of objects', [{ fieldName: 'sku', type: 'Text' }], ['sku Text']],
    ['a map of types', { sku: 'Text', price: { type: 'Number' } }, ['sku Text', 'price Number']],
    ['a form that is not known: then the records tell', [{ column: 1 }], ['sku -', 'price -', 'inStock -']],
    ['nothing at all', null, ['sku -', 'price -', 'inStock -']],
  ])('reads a schema that is %s', async (_form, schema, lines) => {
    const data = { recordCount: 2, fieldCount: 3, recordPath: 'page.items', schema, rawJson };
    world.fail({
      act: 'status',
      status: 200,
      path: '*/sample-output',
      body: JSON.stringify({ success: true, data }),
    });
    const { stdout } = await world.run('data', 'sample', 'agent/shop');
    const shown = stdout.trimEnd().split('\n').slice(2);
    expect(shown.map((line) => line.trim().replace(/ +/g, ' '))).toEqual(lines);
  });
});

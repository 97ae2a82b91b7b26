import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { jsonOf } from '../../support/json.js';
import { notableNumbers, numberText } from '../../support/numbers.js';
import { Workspace } from '../../support/roster.js';
import { startSandbox } from '../../support/sandbox.js';
import { runs } from '../../support/size.js';

/** No number is changed on its way through roster (contract §17). */

const project = (properties: string) => `project: p
schedules:
  s:
    target: agent/acme
    startTime: 2026-12-01T06:00:00
    ${properties}
`;

let sandbox: Sandbox;
beforeEach(async () => {
  const inputKeys = ['token', 'page', 'big', 'small'].map((key) => ({ key, defaultValue: '' }));
  const seed = { agents: [{ externalAgentId: 'acme', name: 'Acme', inputParameters: inputKeys }] };
  sandbox = await startSandbox({ seed, speed: 0, now: new Date('2026-11-01T00:00:00Z') });
});

async function request(method: string, path: string, body?: unknown) {
  const headers = { 'X-Api-Key': sandbox.apiKey, 'Content-Type': 'application/json' };
  const answer = await fetch(`${sandbox.url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as { data: never };
}

interface Remote {
  readonly id: string;
  readonly inputParameters: string;
}

async function schedule(): Promise<Remote> {
  const { data } = await request('GET', '/api/schedules');
  return (data as { items?: Remote[] }).items?.[0] ?? (data as Remote[])[0] ?? expect.fail('no schedule');
}

/** An applied project whose schedule somebody else has given other inputs. */
async function changedOutside(properties: string, inputParameters: string) {
  const workspace = new Workspace({ 'roster.yaml': project(properties) }, sandbox);
  expect((await workspace.apply()).exit).toBe(0);
  const { id, ...remote } = await schedule();
  await request('PUT', `/api/schedules/${id}`, { ...remote, inputParameters });
  return workspace;
}

const inputs = '{"page": 1.50, "token":9007199254740993,"big":1e400, "small":1e-400}';

describe('an update sends back what somebody else manages', () => {
  test.each([
    ['the whole text', 'ignore: [inputs]', inputs],
    ['text that is no JSON', 'ignore: [inputs]', '{"a": 1.0, "a": 2.0}'],
  ])('unchanged: %s', async (_what, ignore, text) => {
    const workspace = await changedOutside(`every: 6 hours\n    inputs: { page: 1 }\n    ${ignore}`, text);
    workspace.write('roster.yaml', project(`every: 7 hours\n    inputs: { page: 1 }\n    ${ignore}`));
    expect((await workspace.apply()).exit).toBe(0);
    expect((await schedule()).inputParameters).toBe(text);
  });

  test('digit for digit, beside what the manifest says', async () => {
    const ignore = 'ignore: [inputs.token, inputs.big, inputs.small]';
    const workspace = await changedOutside(`every: 6 hours\n    inputs: { page: 2 }\n    ${ignore}`, inputs);
    workspace.write('roster.yaml', project(`every: 7 hours\n    inputs: { page: 2 }\n    ${ignore}`));
    expect((await workspace.apply()).exit).toBe(0);
    expect((await schedule()).inputParameters).toBe(
      '{"page":2,"token":9007199254740993,"big":1e400,"small":1e-400}',
    );
  });

  test('whatever the number is', async () => {
    const workspace = await changedOutside('every: 6 hours\n    ignore: [inputs.token]', '{}');
    let every = 6;
    await fc.assert(
      fc.asyncProperty(numberText(), async (text) => {
        const { id, ...remote } = await schedule();
        await request('PUT', `/api/schedules/${id}`, { ...remote, inputParameters: `{"token": ${text}}` });
        every = every === 6 ? 7 : 6;
        workspace.write('roster.yaml', project(`every: ${every} hours\n    ignore: [inputs.token]`));
        expect((await workspace.apply()).exit).toBe(0);
        expect((await schedule()).inputParameters).toBe(`{"token":${text}}`);
      }),
      { numRuns: runs(5, 300) },
    );
  });

  test('also when a schedule is run with other inputs', async () => {
    const workspace = await changedOutside('every: 6 hours\n    inputs: { page: 1 }', inputs);
    const { exit } = await workspace.command(['run', 'schedule/s', '-i', 'page=3', '--detach']);
    expect(exit).toBe(0);
    const sent = sandbox.requests.find(({ path }) => path.endsWith('/run'))?.body;
    expect(sent).toEqual({
      inputParameters: '{"page":"3","token":9007199254740993,"big":1e400,"small":1e-400}',
    });
  });
});

describe('plan, drift and why show the digits of the service', () => {
  test.each(['9007199254740993', '12345678901234567890', '1e400', '-1.50e-400'])('%s', async (number) => {
    const workspace = await changedOutside('every: 6 hours\n    inputs: { token: 7 }', `{"token":${number}}`);
    for (const words of [['plan'], ['drift'], ['why', 'schedule/s'], ['plan', '--format', 'markdown']]) {
      const { stdout } = await workspace.command(words);
      expect(stdout).toContain(`{"token":${number}}`);
    }
    for (const command of ['plan', 'drift', 'why schedule/s']) {
      const { stdout } = await workspace.command([...command.split(' '), '--format', 'json']);
      expect(stdout).toMatch(new RegExp(`"token": ${number.replace(/[.+]/g, '\\$&')}\\b`));
      expect(() => JSON.parse(stdout)).not.toThrow();
    }
  });

  test('what is equal as a decimal is no difference, what differs in a digit is one, with a digest of its own', async () => {
    const digests = new Set<string>();
    const workspace = await changedOutside('every: 6 hours\n    inputs: { token: 100 }', '{}');
    for (const [number, changes] of [
      ['1e2', 0],
      ['100.0', 0],
      ['100.00000000000000000001', 1],
      ['9007199254740993', 1],
      ['9007199254740992', 1],
      ['1e400', 1],
      ['1e401', 1],
    ] as const) {
      const { id, ...remote } = await schedule();
      await request('PUT', `/api/schedules/${id}`, { ...remote, inputParameters: `{"token":${number}}` });
      const plan = await workspace.planJson();
      expect([number, plan.changes.length]).toEqual([number, changes]);
      digests.add(plan.digest);
    }
    expect(digests.size).toBe(6);
  });

  test('a snapshot gives the same plan', async () => {
    const workspace = await changedOutside('every: 6 hours\n    inputs: { token: 7 }', inputs);
    expect((await workspace.command(['snapshot', '--out', 'snapshot.json'])).exit).toBe(0);
    const live = await workspace.planJson();
    expect((await workspace.planJson({ snapshot: 'snapshot.json' })).digest).toBe(live.digest);
    expect((await workspace.command(['plan', '--out', 'plan.json'])).exit).toBe(0);
    expect((await workspace.apply({ plan: 'plan.json' })).exit).toBe(0);
  });
});

describe('pull', () => {
  test('leaves out an object with a number that a manifest cannot hold, and names it', async () => {
    const { data } = await request('GET', '/api/scraper-agents');
    const [agent] = data as { id: string }[];
    const body = { targetId: agent?.id, scheduleType: 'Cron', startTime: '2026-12-01T00:00:00' };
    const create = (hour: number, inputParameters: string) =>
      request('POST', '/api/schedules', { ...body, cronExpression: `0 0 ${hour} * * *`, inputParameters });
    await create(1, '{"a":{"token":9007199254740993}}');
    await create(2, '{"token":1.50}');
    const workspace = new Workspace({ 'roster.yaml': 'project: p\n' }, sandbox);
    const { exit, stderr } = await workspace.command(['pull', '--yes']);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('`inputs.a.token`')]);
    const folder = join(workspace.root, 'imported');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.join('')).toContain('token: 1.5');
    expect(texts.join('')).not.toContain('90071992547409');
  });

  test('writes no rounded number into an entry', async () => {
    const workspace = await changedOutside(
      'every: 6 hours\n    inputs:\n      page: 1\n      token: 7',
      '{"page":2,"token":9007199254740993,"big":1e400}',
    );
    const { exit, stderr } = await workspace.command(['pull', 'schedule/s', '--yes']);
    expect(exit).toBe(1);
    expect(stderr).toContain('`inputs.token` of schedule/s was not changed');
    expect(stderr).toContain('`inputs.big` of schedule/s was not changed');
    const text = readFileSync(join(workspace.root, 'roster.yaml'), 'utf8');
    expect(text).toContain('page: 2\n      token: 7\n');
  });
});

describe('the inputs of a run', () => {
  const run = async (text: string) => {
    const workspace = new Workspace({ 'in.json': text }, sandbox);
    const ran = await workspace.command(['run', 'agent/acme', '--inputs', 'in.json', '--detach']);
    const sent = sandbox.requests.find(({ path }) => path.endsWith('/start-job'))?.body;
    return { ...ran, sent: (sent as { inputParameters?: string } | undefined)?.inputParameters };
  };

  test('are sent as they are written', async () => {
    const { exit, sent } = await run('\ufeff{ "page": 1.50, "token": [1e2, -0.0] }');
    expect([exit, sent]).toEqual([0, '{"page":1.50,"token":[1e2,-0.0]}']);
  });

  test.each(['9007199254740993', '1e400', '0.1234567890123456789'])(
    'with %s start nothing',
    async (number) => {
      const { exit, stderr, sent } = await run(`{ "token": { "a": ${number} } }`);
      expect([exit, sent]).toEqual([1, undefined]);
      expect(stderr).toMatch(/inexact-number.*"token\.a"/);
    },
  );
});

/** A service that answers with texts, and keeps the texts that it gets. */
async function textService(answer: (path: string) => string) {
  const sent: string[] = [];
  const server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.on('data', (piece) => {
      text += piece;
    });
    incoming.on('end', () => {
      if (text !== '') sent.push(text);
      outgoing.setHeader('Content-Type', 'application/json');
      outgoing.end(`{"success":true,"data":${answer(incoming.url ?? '')}}`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const workspace = new Workspace({}, { url, apiKey: sandbox.apiKey });
  return { sent, command: (...words: string[]) => workspace.command(words) };
}

const dataset = '5a2f3c1e-7d4b-4e0a-9b3c-2f1d6e8a7c90';

describe('data', () => {
  const rowsOf = (numbers: readonly string[]) =>
    `{"columns":["n","o"],"rows":[${numbers.map((each) => `{"n":${each},"o":{"a":[${each}]}}`).join(',')}],"totalMatches":${numbers.length},"page":1}`;
  const serve = (numbers: readonly string[]) =>
    textService((path) => {
      if (path === '/api/scraper-agents') return '[]';
      if (path.includes('/cached-exports'))
        return `{"items":[{"id":"${dataset}","status":"Available","agentName":"Acme","scraperAgentId":"${dataset}","fileName":"a.csv","canManage":true,"isExpired":false,"accessLevel":"Private"}],"total":1}`;
      return rowsOf(numbers);
    });

  const printed = async (service: Awaited<ReturnType<typeof serve>>, verb: string, format: string) => {
    const { stdout, stderr } = await service.command('data', verb, dataset, '--format', format);
    expect(stderr).toBe('');
    return stdout;
  };

  test.each(['query', 'preview'])('%s prints the digits of the dataset in every format', async (verb) => {
    const check = async (numbers: readonly string[]) => {
      const service = await serve(numbers);
      const nested = numbers.map((each) => `{"a":[${each}]}`);
      const text = await printed(service, verb, 'text');
      const lines = text.trimEnd().split('\n').slice(-numbers.length);
      expect(lines.map((line) => line.trim().split(/\s+/))).toEqual(
        numbers.map((each, index) => [each, nested[index]]),
      );
      const csv = await printed(service, verb, 'csv');
      expect(csv.split('\r\n').slice(1, -1)).toEqual(numbers.map((each) => `${each},"{""a"":[${each}]}"`));
      const jsonl = await printed(service, verb, 'jsonl');
      const records = jsonl.trimEnd().split('\n');
      expect(records.map((line) => line.slice(line.indexOf('"record"')))).toEqual(
        numbers.map((each) => `"record":{"n":${each},"o":{"a":[${each}]}}}`),
      );
      const json = await printed(service, verb, 'json');
      expect(json.match(/(?<="n": )\S+(?=,\n)/g)).toEqual(numbers);
      expect(jsonOf({ stdout: json }).diagnostics).toEqual([]);
    };
    await check(notableNumbers);
    await fc.assert(fc.asyncProperty(fc.array(numberText(), { minLength: 1, maxLength: 20 }), check), {
      numRuns: runs(2, 200),
    });
  });

  test.each([
    ['n gt 9007199254740993', '9007199254740993'],
    ['n lte 1.50', '1.50'],
    ['n lt 1e400', '1e400'],
    ['n gte -12e-3', '-12e-3'],
    ['n gt "1.50"', '"1.50"'],
    ['n equals 1.50', '"1.50"'],
    ['n gt 2026-12-01', '"2026-12-01"'],
  ])('--where %s is sent as it is typed', async (where, value) => {
    const service = await serve(['1']);
    expect((await service.command('data', 'query', dataset, '--where', where)).exit).toBe(0);
    expect(service.sent.at(-1)).toContain(`"value":${value}}`);
  });

  test.each([
    ['0x1F', '`31`'],
    ['+5', '`5`'],
    ['.5', '`0.5`'],
  ])('--where "n gt %s" is refused before it is sent, with a number that is not', async (typed, hint) => {
    const service = await serve(['1']);
    const { exit, stderr } = await service.command('data', 'query', dataset, '--where', `n gt ${typed}`);
    expect([exit, stderr, service.sent]).toEqual([1, expect.stringContaining(hint), []]);
  });
});

test('roster api sends and prints the digits that were written', async () => {
  const { sent, command } = await textService(() => '{"n":[1e400,1.10,9007199254740993]}');
  const body = '{"n":[1e400,1.10,9007199254740993]}';
  const { exit, stdout } = await command('api', 'POST', '/api/x', '--write', '--data', body);
  expect([exit, sent, stdout.replace(/\s/g, '')]).toEqual([0, [body], body]);
});

test('a saved query keeps its digits on the service', async () => {
  const seed = {
    agents: [{ externalAgentId: 'acme', name: 'Acme' }],
    history: [{ agent: 'acme', ago: '1d' }],
  };
  const workspace = new Workspace({}, await startSandbox({ seed, now: new Date('2026-12-01T00:00:00Z') }));
  workspace.now = () => new Date('2026-12-01T00:00:00Z');
  const words = ['data', 'queries', 'save', 'q', '--of', 'agent/acme', '--where', 'price gt 1.50e-400'];
  expect(await workspace.command(words)).toMatchObject({ exit: 0 });
  const { stdout } = await workspace.command(['data', 'queries']);
  expect(stdout).toContain("--where 'price gt 1.50e-400'");
});

test('list and runs read numbers that are written in another way', async () => {
  const agent = '8c1d6f0e-3c55-4d6e-9a0b-7f5a2f1f7c11';
  const { command } = await textService((path) =>
    path.includes('scraper-agents')
      ? `[{"id":"${agent}","externalAgentId":"acme","name":"Acme","inputParameters":[{"key":"a","defaultValue":1e400}]}]`
      : '{"items":[],"total":0.0}',
  );
  const { exit, stdout } = await command('list', 'agents', '--inputs', '--format', 'json');
  expect([exit, stdout]).toEqual([0, expect.stringContaining('"defaultValue": "1e400"')]);
});

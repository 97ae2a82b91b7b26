import type { Diagnostic, Place } from '../../../src/model/diagnostic.js';
import { note, type Risk, refusal, risk } from '../../../src/model/finding.js';
import type { Change, FieldChange, Plan, Step } from '../../../src/model/plan.js';
import type { Report } from '../../../src/model/report.js';
import { defaultSafeguards } from '../../../src/model/safeguards.js';
import type { SarifRun } from '../../../src/view/ci/sarif.js';

/** Plans, reports and diagnostics that exercise every part of the views. */

export function place(
  line: number,
  column: number,
  length: number,
  lineText: string,
  file = 'roster.yaml',
): Place {
  return { file, line, column, length, lineText };
}

export const sarifRun: SarifRun = {
  version: '1.2.3',
  helpUri: (code) => `https://docs.example/diagnostics#${code}`,
  project: 'pricing',
  environment: 'production',
};

export function field(path: string, rest: Partial<FieldChange>): FieldChange {
  return {
    path,
    before: null,
    after: null,
    sensitive: false,
    layout: 'value',
    origin: 'manifest',
    source: null,
    ...rest,
  };
}

/** What is said of a change. */
interface Said {
  readonly risks?: readonly Risk[];
  readonly notes?: readonly string[];
}

export function change(address: string, { risks = [], notes = [], ...rest }: Partial<Change> & Said): Change {
  return {
    address,
    kind: address.slice(0, address.indexOf('/')),
    action: 'update',
    id: null,
    name: null,
    origin: 'manifest',
    adopted: false,
    fields: [],
    steps: [],
    nextRuns: null,
    findings: [...risks.map((each) => risk(address, each)), ...notes.map((each) => note(address, each))],
    source: null,
    ...rest,
  };
}

function step(id: string, address: string, method: 'POST' | 'PUT' | 'DELETE', path: string): Step {
  const effect = method === 'POST' ? 'create' : 'repeatable';
  const kind = address.slice(0, address.indexOf('/'));
  return {
    id,
    addresses: [address],
    kind,
    request: { method, path, effect },
    singles: [],
    after: [],
    last: kind === 'key',
    delivery: null,
  };
}

const unchanged = ['group/shops', 'group/travel', 'pipeline/weekly', 'schedule/weekly'].map((address) =>
  change(address, { action: 'none', origin: null }),
);

const newGroup = change('group/retail-prices', {
  action: 'create',
  name: 'Retail prices',
  fields: [
    field('name', { after: 'Retail prices' }),
    field('description', { after: '', layout: 'text' }),
    field('active', { after: true }),
    field('members', { after: ['acme-shop', 'globex', 'initech', 'shop number 4'], layout: 'set' }),
  ],
  steps: ['1'],
  source: place(17, 3, 13, '  retail-prices:'),
});

const changedGroup = change('group/news', {
  id: '5d1f0c8e-6b0a-4a51-9a53-2f4d3a7c9b10',
  name: 'News',
  origin: 'both',
  adopted: true,
  fields: [
    field('name', { before: 'News "old"', after: 'News' }),
    field('description', {
      before: 'Front pages.\nUpdated hourly.\nAsk the news team.\nOld line.\n',
      after: 'Front pages.\nUpdated hourly.\nAsk the news desk.\nOld line.\nNew line.\n',
      layout: 'text',
    }),
    field('members', {
      before: ['herald', 'gazette'],
      after: ['herald', 'times'],
      layout: 'set',
      origin: 'remote',
    }),
  ],
  steps: ['2', '3'],
});

const reorderedPipeline = change('pipeline/nightly-refresh', {
  id: '9b2e',
  name: 'Nightly refresh',
  origin: 'remote',
  fields: [
    field('stages', {
      before: ['login-check', 'catalogue', 'prices'],
      after: ['login-check', 'prices', 'catalogue'],
      layout: 'sequence',
      origin: 'remote',
    }),
  ],
  steps: ['4'],
});

const changedSchedule = change('schedule/retail-hourly', {
  id: '77',
  fields: [
    field('startTime', { before: '2026-12-01T06:00:00', after: '2026-12-01T00:30:00' }),
    field('inputs', {
      before: {
        country: 'DE',
        depth: 2,
        shops: ['a', 'b', 'c'],
        note: 'a rather long note about what this is for',
      },
      after: {
        country: 'AT',
        depth: 2,
        shops: ['a', 'c'],
        note: 'a rather long note about what this is for',
      },
      layout: 'map',
    }),
    field('password', { before: 'for (sensitive)', after: 'for ${env.SHOP_USER}', sensitive: true }),
  ],
  nextRuns: {
    before: ['06', '12', '18'].map((hour) => run(`2026-12-01T${hour}:00:00`, `2026-12-01T${hour}:00:00Z`)),
    after: [
      run('2026-12-01T00:30:00', '2026-11-30T23:30:00Z'),
      run('2026-12-01T06:30:00', '2026-12-01T05:30:00Z'),
      run('2026-12-01T12:30:00', '2026-12-01T11:30:00Z'),
    ],
    computed: null,
    by: 'service',
    timeZone: 'Europe/Berlin',
    pace: {
      before: { runsPerWeek: 28, shortestGapSeconds: 21_600 },
      after: { runsPerWeek: 28, shortestGapSeconds: 21_600 },
    },
    clockChanges: [
      { effect: 'skipped', local: '2027-03-28T02:30:00', times: 1, utc: '2027-03-28T01:00:00Z' },
      { effect: 'repeated', local: '2027-10-31T02:00:00', times: 3, utc: '2027-10-31T01:00:00Z' },
    ],
  },
  risks: [
    {
      code: 'schedule',
      message: 'runs at another hour: 00:30, 06:30, 12:30, 18:30 Europe/Berlin instead of 06:00',
    },
  ],
  steps: ['5'],
});

function run(local: string, utc: string) {
  return { local, utc };
}

const goneSchedule = change('schedule/christmas', {
  action: 'delete',
  id: '78',
  fields: [field('once', { before: '2025-12-24T08:00:00' }), field('timeZone', { before: 'UTC' })],
  reason: 'no longer declared',
  risks: [{ code: 'delete', message: 'cannot be undone' }],
  steps: ['6'],
});

const replacedKey = change('key/ci', {
  action: 'replace',
  id: 'k-1',
  name: 'roster ci',
  fields: [field('scopes', { before: 'full', after: ['agents.run'], layout: 'set' })],
  risks: [
    {
      code: 'key',
      message: 'the key "roster ci" (svc_live_ab…, last used 2026-11-20T10:00:00Z) stops working',
    },
  ],
  notes: ['creating this key revokes the key "roster ci" (svc_live_ab…), which roster uses now'],
  steps: ['7', '8'],
});

export const plan: Plan = {
  project: 'pricing',
  environment: 'production',
  service: 'https://collect.example.com',
  account: null,
  inventory: { file: 'roster.inventory.json' },
  safeguards: defaultSafeguards,
  startsPerWeek: { before: 168, after: 252, unknown: { before: 0, after: 0 } },
  startsByAgent: [{ agent: 'acme-shop', before: 28, after: 112 }],
  digestParts: [],
  digest: `sha256:${'0123456789abcdef'.repeat(4)}`,
  changes: [
    change('group/found', { action: 'adopt', adopted: true, id: 'f-1', name: 'Found' }),
    change('group/lost', { action: 'forget', origin: null, name: 'Lost' }),
    changedGroup,
    newGroup,
    reorderedPipeline,
    goneSchedule,
    changedSchedule,
    replacedKey,
    ...unchanged,
  ],
  steps: [
    step('1', 'group/retail-prices', 'POST', '/api/search-groups'),
    step('2', 'group/news', 'PUT', '/api/search-groups/5d1f0c8e-6b0a-4a51-9a53-2f4d3a7c9b10/members'),
    step('3', 'group/news', 'PUT', '/api/search-groups/5d1f0c8e-6b0a-4a51-9a53-2f4d3a7c9b10'),
    step('4', 'pipeline/nightly-refresh', 'PUT', '/api/pipelines/{pipeline/nightly-refresh}/steps'),
    step('5', 'schedule/retail-hourly', 'PUT', '/api/schedules/77'),
    step('6', 'schedule/christmas', 'DELETE', '/api/schedules/78'),
    step('7', 'key/ci', 'POST', '/api/api-keys'),
    step('8', 'key/ci', 'DELETE', '/api/api-keys/k-1'),
  ],
  unmanaged: { group: 0, pipeline: 0, schedule: 2, key: 1 },
  links: [
    { from: 'schedule/retail-hourly', to: 'group/retail-prices', stage: null },
    { from: 'schedule/weekly', to: 'pipeline/weekly', stage: null },
    { from: 'schedule/nightly', to: 'pipeline/nightly-refresh', stage: null },
  ],
  records: {},
  createIntents: {},
  findings: [
    refusal(
      'not-allowed',
      'key/ci',
      'key/ci revokes the API key that roster uses',
      'To allow it, pass `--allow-self-revoke`.',
    ),
    {
      severity: 'warning',
      code: 'start-rate',
      message: '75 agents start at 2026-12-01T06:00:00Z, but the limit is 60',
      help: 'Move some of the schedules, or raise `limits.startsPerMinute`.',
    },
  ],
};

export const emptyPlan: Plan = {
  ...plan,
  environment: null,
  changes: unchanged,
  steps: [],
  startsPerWeek: { before: 168, after: 168, unknown: { before: 0, after: 0 } },
  startsByAgent: [],
  findings: [],
};

export const report: Report = {
  plan,
  outcomes: [
    { address: 'group/retail-prices', outcome: 'done', error: null, id: 'g-9' },
    {
      address: 'group/news',
      outcome: 'failed',
      error: 'PUT /api/search-groups/…: the service responded with 404: not found',
      id: null,
    },
    { address: 'group/lost', outcome: 'done', error: null, id: null },
    { address: 'group/found', outcome: 'done', error: null, id: 'f-1' },
    { address: 'pipeline/nightly-refresh', outcome: 'done', error: null, id: '9b2e' },
    {
      address: 'schedule/retail-hourly',
      outcome: 'unknown',
      error: 'the connection was closed before the response arrived',
      id: '77',
    },
    { address: 'schedule/christmas', outcome: 'skipped', error: 'group/news failed', id: '78' },
  ],
  converged: null,
  interrupted: false,
  keyEnded: false,
  diagnostics: [{ severity: 'error', code: 'service-error', message: 'the service responded with 404' }],
};

export const completeReport: Report = {
  plan,
  outcomes: plan.changes
    .filter((each) => each.action !== 'none')
    .map(({ address, id }) => ({
      address,
      outcome: 'done',
      error: null,
      id: id ?? (address.startsWith('group/retail') ? 'g-9' : null),
    })),
  converged: true,
  interrupted: false,
  keyEnded: false,
  diagnostics: [],
};

export const diagnostics: readonly Diagnostic[] = [
  {
    severity: 'error',
    code: 'unknown-property',
    message: 'unknown property `membrs`',
    place: place(17, 5, 6, '    membrs: [acme-shop]'),
    help: 'Did you mean `members`?',
  },
  {
    severity: 'error',
    code: 'duplicate-entry',
    message: 'group/news is declared twice',
    place: place(104, 3, 4, '  news:', 'teams/news.yaml'),
    related: [{ message: 'first declared here', place: place(9, 3, 4, '  news:') }],
    help: 'Remove one of the two.',
  },
  {
    severity: 'error',
    code: 'unknown-agent',
    message: 'no agent "価格" is assigned to this account',
    place: place(21, 18, 2, '\tmembers: [👍🏽, 価格, "👨‍👩‍👧"] # tab, emoji and wide'),
  },
  {
    severity: 'warning',
    code: 'ignored-inputs',
    message: 'a pipeline ignores the inputs of its schedules',
    place: place(30, 400, 9, `${'    inputs: { a: 1, '.padEnd(399, 'x')}"country": 1, ${'y'.repeat(300)} }`),
  },
  { severity: 'error', code: 'missing-setting', message: 'no API key', help: 'Set `ROSTER_API_KEY`.' },
];

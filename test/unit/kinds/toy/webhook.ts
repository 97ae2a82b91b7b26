import { isJsonObject, type Json } from '../../../../src/model/json.js';
import type { Kind } from '../../../../src/model/kind.js';
import { Unexpected } from '../../../../src/model/request.js';
import { type IdOrPending, isPending, type Observed } from '../../../../src/model/resource.js';

/** What a manifest declares. The schema is below. */
interface WebhookDeclared {
  readonly name: string;
  readonly url: string;
  /** Address of a group. */
  readonly group: string;
}

interface WebhookSpec {
  readonly name: string;
  readonly url: string;
  readonly group: IdOrPending;
}

/** A kind that roster does not have: a URL that the service calls after each run of a group. */
export const webhook: Kind<WebhookDeclared, WebhookSpec> = {
  name: 'webhook',
  section: 'webhooks',

  read: ({ name, url, group }, key) => ({
    name: String(name ?? key),
    url: String(url),
    group: String(group),
  }),
  resolve({ declared: { group: address, ...rest } }, resolver) {
    const group = resolver.idOf(address);
    return group === undefined ? undefined : { ...rest, group };
  },
  list: () => ({
    request: { method: 'GET', path: '/api/webhooks', effect: 'read' },
    noun: 'webhook',
    parse: observe,
  }),
  fields: {
    name: { canonical: (name) => name, show: (name) => name, layout: 'value' },
    url: {
      canonical: (url) => url.toLowerCase(),
      ignores: 'case has no meaning',
      show: (url) => url,
      layout: 'value',
    },
    group: {
      canonical: (id) => ['group', id as Json],
      show: (id, names) => (isPending(id) ? id.pending : names.object('group', id)),
      layout: 'value',
      isReference: true,
    },
  },
  identity: {
    fields: ['name'],
    of: ({ name }) => name,
    ofDeclared: ({ name }) => name,
    ofObserved: ({ name }) => name,
    describe: ({ name }) => `named "${name}"`,
  },
  references: {
    field: 'group',
    kinds: ['group'],
    inEntry: ({ group }) => [group],
    inSpec: ({ group }) => [{ kind: 'group', id: group }],
  },

  create: ({ name, url, group }) => [
    {
      request: {
        method: 'POST',
        path: `/api/groups/${isPending(group) ? `{${group.pending}}` : group}/webhooks`,
        body: { name, url },
        effect: 'create',
      },
    },
  ],
  createdId: (data) => (isJsonObject(data) ? String(data['id']) : null),
  update: ({ id }, { name, url }) => [
    { request: { method: 'PUT', path: `/api/webhooks/${id}`, body: { name, url }, effect: 'repeatable' } },
  ],
  remove: ({ id }) => [{ request: { method: 'DELETE', path: `/api/webhooks/${id}`, effect: 'repeatable' } }],
  snapshot: { placeholder: { name: '', url: '', group: '' } },
};

function observe(item: unknown): Observed<WebhookSpec> {
  if (!isJsonObject(item)) throw new Unexpected('a webhook');
  const [id, name, url, group] = ['id', 'name', 'url', 'groupId'].map((property) => String(item[property]));
  if (id === undefined || name === undefined || url === undefined || group === undefined)
    throw new Unexpected('a webhook with id, name, url and groupId');
  return {
    kind: 'webhook',
    id,
    rawId: id,
    name,
    manageable: true,
    caller: false,
    facts: {},
    spec: { name, url, group },
  };
}

/** The section of the schema that every entry must fit. */
export const webhookSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'group'],
  properties: {
    name: { type: 'string' },
    url: { type: 'string' },
    group: { type: 'string' },
  },
} as const;

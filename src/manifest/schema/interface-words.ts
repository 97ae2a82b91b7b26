import type { Failure } from './schema-failure.js';

/** How entries call what the service's interface and dashboard call otherwise. Of several, the one that is known counts. */
const words: ReadonlyMap<string, readonly string[]> = new Map([
  ['agentIds', ['members', 'stages']],
  ['agents', ['members', 'stages']],
  ['cronExpression', ['cron']],
  ['desc', ['description']],
  ['disabled', ['enabled', 'active']],
  ['enabled', ['active']],
  ['externalAgentIds', ['members', 'stages']],
  ['inputParameters', ['inputs']],
  ['interval', ['every']],
  ['intervalUnit', ['every']],
  ['intervalValue', ['every']],
  ['isActive', ['active', 'enabled']],
  ['isEnabled', ['enabled', 'active']],
  ['members', ['stages']],
  ['parameters', ['inputs']],
  ['paused', ['enabled', 'active']],
  ['scraperAgentIds', ['members', 'stages']],
  ['scraperAgents', ['members', 'stages']],
  ['stages', ['members']],
  ['start', ['startTime']],
  ['steps', ['stages', 'members']],
  ['targetId', ['target']],
  ['targetType', ['target']],
  ['timeZoneId', ['timeZone']],
  ['timezone', ['timeZone']],
  ['tz', ['timeZone']],
  ['zone', ['timeZone']],
]);

/** Words that mean the opposite. */
const opposites: ReadonlySet<string> = new Set(['disabled', 'paused']);

/** The property of a manifest that a word of the interface stands for; null for other words. */
export function interfaceWord(word: string, known: object): string | null {
  return words.get(word)?.find((property) => Object.hasOwn(known, property)) ?? null;
}

/** `enabled: false`, for `paused: true`. */
export function withMeaning(property: string, word: string, { data }: Failure): string {
  if (!opposites.has(word)) return property;
  const value: unknown = Object.getOwnPropertyDescriptor(data ?? {}, word)?.value;
  return typeof value === 'boolean' ? `${property}: ${!value}` : property;
}

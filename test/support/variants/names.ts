/** All ways in which a service may behave where interface.md leaves it open: name -> one line. */
export const VARIANTS = {
  // The shape of lists
  'lists-as-items': 'lists are { items } instead of an array',
  'lists-paged': 'lists are pages { items, total } (page, pageSize)',
  'lists-cursor': 'lists are pages { items, nextCursor } (cursor, pageSize)',
  'lists-newest-first': 'lists start with the newest object',
  'items-without-members': 'list items of groups and pipelines lack members and steps',
  'items-minimal': 'list items of groups and pipelines have only id and name',
  'revoked-keys-hidden': 'the list of keys omits revoked keys',
  // The shape of responses to actions
  'no-data-answers':
    'responses to create, update, delete and enable have no data where the interface shows none',
  'answers-id-only': 'responses to group, pipeline and schedule changes have only { id } as data',
  'answers-bare-id': 'responses to group, pipeline and schedule changes have the id itself as data',
  'created-201': 'a create returns 201',
  'deleted-204': 'a delete returns 204 without a body',
  'errors-nested': 'error bodies are { error: { message, code } }',
  'errors-text': 'error bodies are plain text',
  'errors-problem': 'error bodies are { title, detail, status, code }',
  'errors-page': 'error bodies are web pages',
  'errors-empty': 'errors have no body',
  'extra-fields': 'every object has fields that the interface does not mention',
  'nulls-absent': 'fields without a value are omitted instead of null',
  'pages-refused': 'a page or pageSize out of range is refused with 400',
  'counts-as-objects': 'counts are { count } instead of a number',
  'rows-as-lists': 'rows of datasets are arrays, and columns are { name }',
  'truncation-unnamed': 'previews and queries of datasets do not say whether they are cut',
  'reasons-as-text': 'members of a group run that never started are texts',
  // Identifiers
  'numeric-schedule-ids': 'new schedules get a number as their id',
  'schedule-id-named': 'the id of a schedule is named scheduleId',
  'uppercase-guids': 'GUIDs are returned in upper case',
  // Text that is returned in another spelling
  'null-descriptions': 'an empty description is returned as null',
  'absent-descriptions': 'an empty description is omitted',
  'names-trimmed': 'names are returned without leading and trailing spaces',
  'names-decomposed': 'names are returned in decomposed Unicode form (NFD)',
  'timestamps-short': 'timestamps are returned without a fraction of a second',
  'timestamps-ticks': 'timestamps are returned with seven digits after the second',
  // Groups and pipelines
  'flags-by-id': 'list items of groups and pipelines have null for isActive and canManage',
  'members-reversed': 'the members of a group are returned in another order',
  'steps-from-one': 'sortOrder of a stage counts from 1 instead of 0',
  'steps-shuffled': 'except in GET by id, stages are out of order; only sortOrder is right',
  'hidden-by-id': 'a group or pipeline with an unassigned agent is omitted from lists but can be read by id',
  'create-honours-active': 'isActive in a create body is honoured instead of ignored',
  'empty-refused': 'a group or pipeline without agents is refused with 400',
  'duplicate-names-refused': 'a second group or pipeline of the same name is refused with 400',
  'duplicate-members-refused': 'a group that lists an agent twice is refused with 400',
  'delete-cascades': 'deleting a group or pipeline deletes the schedules that target it',
  'delete-refuses-targeted': 'deleting a group or pipeline that a schedule targets is refused with 409',
  'delete-missing-ok': 'deleting an object that does not exist succeeds',
  // Schedules
  'inputs-reserialised': 'inputParameters are returned with another key order and spacing',
  'null-inputs': 'empty inputParameters are returned as null',
  'start-time-short': 'startTime is returned without seconds if they are :00',
  'start-time-fraction': 'startTime is returned with .000',
  'start-time-ticks': 'startTime is returned with .0000000',
  'zone-alias': 'time zones are returned by another IANA name of the same zone',
  'cron-spaces': 'cron expressions are returned with other spaces and letter case',
  'enabled-by-status': 'schedules have status but not isEnabled',
  'numbers-as-strings': 'intervalValue, counts and sortOrder are returned as strings',
  'unused-timing-defaults':
    'fields of other schedule types are returned as 0, Minutes and empty text, not null',
  'past-once-refused': 'a Once schedule in the past is refused with 400',
  'frequent-refused': 'a schedule that would start twice within five minutes is refused with 400',
  'unknown-target-404': 'an unknown schedule target is refused with 404 instead of 400',
  'preview-objects': 'preview returns an array of { runTime }',
  'preview-run-times': 'preview returns { runTimes }',
  'preview-short': 'preview returns at most three run times',
  'preview-an-hour-late': 'preview returns times one hour later',
  'preview-doubled': 'preview returns each run time twice',
  'preview-never': 'preview returns no run times',
  'preview-unavailable': 'preview returns 404',
  // Keys
  'keys-without-id': 'keys have no id, neither in the list nor when created',
  'key-id-named': 'the id of a key is named keyId',
  'key-answers-bare': 'the response to creating a key has only data.key',
  'key-answers-top-level': 'the response to creating a key has key next to success, and no data',
  'key-prefix-short': 'keyPrefix is 12 characters long instead of 16',
  'key-prefix-masked': 'keyPrefix ends in three dots',
  'key-prefix-constant': 'keyPrefix is svc_live_ for every key',
  'scopes-reordered': 'scopes are returned in another order',
  'scopes-null': 'the scopes of a full-access key are returned as null',
  'scopes-absent': 'the scopes of a full-access key are omitted',
  'revokes-calling-key-only': 'creating a key revokes the calling key, not every active key of its user',
} as const;

/** A behaviour that interface.md allows. Several can be on at once. */
export type Variant = keyof typeof VARIANTS;

export function isVariant(name: string): name is Variant {
  return Object.hasOwn(VARIANTS, name);
}

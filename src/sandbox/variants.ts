/** Every way in which this service can behave where interface.md is silent: name -> one line. */
export const VARIANTS = {
  // The shape of lists
  'lists-as-items': 'lists answer { items } instead of a bare array',
  'lists-paged': 'lists answer { items, total } a page at a time (page, pageSize)',
  'lists-cursor': 'lists answer { items, nextCursor } a page at a time (cursor, pageSize)',
  'lists-newest-first': 'lists come newest first',
  'items-without-members': 'list items of groups and pipelines lack members and steps',
  'items-minimal': 'list items of groups and pipelines have only id and name',
  'revoked-keys-hidden': 'the list of keys leaves revoked ones out',
  // The shape of answers to actions
  'no-data-answers':
    'answers to create, update, delete and enable carry no data, where the interface shows none',
  'answers-id-only': 'answers to group, pipeline and schedule changes carry only { id }',
  'answers-bare-id': 'answers to group, pipeline and schedule changes carry the id itself as data',
  'created-201': 'a create answers 201',
  'deleted-204': 'a delete answers 204 with no body',
  'errors-nested': 'error bodies are { error: { message, code } }',
  'errors-text': 'error bodies are plain text',
  'extra-fields': 'every object carries fields that the interface does not name',
  'nulls-absent': 'fields without a value are left out instead of null',
  // Identifiers
  'numeric-schedule-ids': 'new schedules get a number as their id',
  'schedule-id-named': 'the id of a schedule is called scheduleId',
  'uppercase-guids': 'GUIDs come back in upper case',
  // Text that comes back in another spelling
  'null-descriptions': 'an empty description comes back as null',
  'absent-descriptions': 'an empty description is left out',
  'names-trimmed': 'names come back without outer spaces',
  'names-decomposed': 'names come back in decomposed Unicode form (NFD)',
  'timestamps-short': 'timestamps come back without a fraction of a second',
  'timestamps-ticks': 'timestamps come back with seven digits after the second',
  // Groups and pipelines
  'members-reversed': 'the members of a group come back in another order',
  'steps-from-one': 'sortOrder of a stage counts from 1 instead of 0',
  'steps-shuffled': 'outside of GET by id, stages come out of order: sortOrder alone tells it',
  'hidden-by-id': 'a group or pipeline with an unassigned agent is left out of lists but answers by id',
  'create-honours-active': 'isActive in a create body is honoured instead of ignored',
  'empty-refused': 'a group or pipeline without agents is refused with 400',
  'duplicate-names-refused': 'a second group or pipeline of the same name is refused with 400',
  'duplicate-members-refused': 'an agent named twice in a group is refused with 400',
  'delete-cascades': 'deleting a group or pipeline deletes the schedules that target it',
  'delete-refuses-targeted': 'deleting a group or pipeline that a schedule targets is refused with 409',
  'delete-missing-ok': 'deleting what does not exist is a success',
  // Schedules
  'inputs-reserialised': 'inputParameters come back with other key order and spacing',
  'null-inputs': 'empty inputParameters come back as null',
  'start-time-short': 'startTime comes back without its seconds where they are :00',
  'start-time-fraction': 'startTime comes back with .000',
  'start-time-ticks': 'startTime comes back with .0000000',
  'zone-alias': 'time zones come back under another IANA name of the same zone',
  'cron-spaces': 'cron expressions come back with other spaces and letter case',
  'enabled-by-status': 'schedules carry status but not isEnabled',
  'numbers-as-strings': 'intervalValue comes back as a string',
  'unused-timing-defaults': 'fields of other schedule types come back as 0, Minutes and empty text, not null',
  'past-once-refused': 'a Once schedule in the past is refused with 400',
  'frequent-refused': 'a schedule that would start twice within five minutes is refused with 400',
  'unknown-target-404': 'an unknown schedule target is refused with 404 instead of 400',
  'preview-objects': 'preview answers an array of { runTime }',
  'preview-run-times': 'preview answers { runTimes }',
  'preview-short': 'preview answers at most three run times',
  'preview-unavailable': 'preview answers 404',
  // Keys
  'keys-without-id': 'keys carry no id, in the list or when created',
  'key-id-named': 'the id of a key is called keyId',
  'key-answers-bare': 'the answer to creating a key has only data.key',
  'key-answers-top-level': 'the answer to creating a key has key beside success, and no data',
  'key-prefix-short': 'keyPrefix is 12 characters long instead of 16',
  'key-prefix-masked': 'keyPrefix ends in three dots',
  'key-prefix-constant': 'keyPrefix is svc_live_ for every key',
  'scopes-reordered': 'scopes come back in another order',
  'scopes-null': 'the scopes of a full-access key come back as null',
  'scopes-absent': 'the scopes of a full-access key are left out',
  'revokes-calling-key-only': 'creating a key revokes the calling key, not every active key of its user',
} as const;

/** A behaviour in a silence of the interface. Several may be on at once. */
export type Variant = keyof typeof VARIANTS;

export function isVariant(name: string): name is Variant {
  return Object.hasOwn(VARIANTS, name);
}

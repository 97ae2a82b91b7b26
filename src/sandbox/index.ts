/** The service of interface.md in one process, to try manifests and for tests. Imports no other module of roster. */

export { agentsOfCaller } from './access.js';
export { isLoopback } from './admit.js';
export type { Behaviour, Exchange, Reply } from './api.js';
export { parseFaults } from './faults/fault-file.js';
export { type Fault, faultFinder, type RequestFilter } from './faults/faults.js';
export { JsonFileError, MOST_ERRORS } from './json-file.js';
export { DataFileError, worldFromJson, worldToJson } from './persistence.js';
export type { RecordedRequest } from './receive.js';
export { parseSeed } from './seed/build-world.js';
export { defaultSeed, type Seed, type SeedKey, type SeedSchedule } from './seed/seed.js';
export { OtherSeedError, type Sandbox, type SandboxOptions, startSandbox } from './server.js';
export type { CollectionRecord, KeyRecord, ScheduleRecord, World } from './world.js';

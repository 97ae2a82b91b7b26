/** The service of interface.md in one process, to try manifests and for tests. Imports no other module of roster. */

export { agentsOfCaller } from './access.js';
export type { Behaviour, Exchange, Reply } from './api.js';
export { isLoopback } from './authentication.js';
export { type CopiedObject, type CopiedService, copyInto } from './copy.js';
export { DataFileError, worldFromLog, worldToLog } from './data-file.js';
export { type Fault, faultFinder, parseFaults, type RequestFilter } from './faults.js';
export type { RecordedRequest } from './http.js';
export { type FileFault, JsonFileError, MOST_ERRORS } from './json-file.js';
export { parseSeed } from './seed/build-world.js';
export { defaultSeed, type Seed, type SeedKey, type SeedSchedule } from './seed/seed.js';
export { OtherSeedError, type Sandbox, type SandboxOptions, startSandbox } from './server.js';
export type { CollectionRecord, KeyRecord, ScheduleRecord, World } from './world.js';

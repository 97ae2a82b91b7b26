/** The service of interface.md in one process, for trying manifests and for the tests. Imports nothing of roster. */

export {
  FAULT_TYPES,
  type Fault,
  FaultError,
  type FaultPlan,
  type FaultType,
  parseFaults,
} from './faults.js';
export type { RecordedRequest } from './middleware.js';
export { DataFileError, loadWorld, saveWorld, worldFromJson, worldToJson } from './persistence.js';
export {
  defaultSeed,
  type Seed,
  type SeedAgent,
  SeedError,
  type SeedGroup,
  type SeedKey,
  type SeedPipeline,
  type SeedSchedule,
} from './seed.js';
export { parseSeed } from './seed-world.js';
export { type Sandbox, type SandboxOptions, startSandbox } from './server.js';
export { isVariant, VARIANTS, type Variant } from './variants.js';
export type { AgentRecord, CollectionRecord, KeyRecord, ScheduleRecord, World } from './world.js';

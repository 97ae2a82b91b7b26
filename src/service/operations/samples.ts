import type { Call } from '../../model/request.js';
import { anything, integer, object, optional, type Read, text } from '../../model/shape.js';
import { type DownloadCall, file, get, segment } from './requests.js';

/** An example of what an agent collects, never a live result (interface §2, Sample output). */
export type SampleOutput = Read<typeof parseSample>;

const parseSample = object({
  recordCount: optional(integer),
  fieldCount: optional(integer),
  /** Where the records are in the JSON. */
  recordPath: optional(text),
  /** Field by field, as received. */
  schema: anything,
  rawJson: anything,
});

const pathOf = (agentId: string) => `/api/scraper-agents/${segment(agentId)}/sample-output`;

/** Null when the agent has no sample. By the agent's GUID. Its method is not shown. */
export function sampleOutput(agentId: string): Call<SampleOutput | null> {
  const request = { ...get(pathOf(agentId)), otherMethods: ['POST'] } as const;
  return { request, parse: (data) => (data === null ? null : parseSample(data)) };
}

/** The sample as a JSON file; 404 `SAMPLE_OUTPUT_NOT_FOUND` without one. Its method is not shown. */
export function downloadSample(agentId: string): DownloadCall {
  return file({ ...get(`${pathOf(agentId)}/download`), otherMethods: ['POST'] });
}

import type { Call } from '../../model/request.js';
import { asRecord, field, optionalCount, optionalText } from './record.js';
import { type DownloadCall, file, get, segment } from './requests.js';

/** An example of what an agent collects, never a live result (interface §2, Sample output). */
export interface SampleOutput {
  readonly recordCount: number | null;
  readonly fieldCount: number | null;
  /** Where the records are in the JSON. */
  readonly recordPath: string | null;
  /** Field by field, as received. */
  readonly schema: unknown;
  readonly rawJson: unknown;
}

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

function parseSample(data: unknown): SampleOutput {
  const record = asRecord(data, 'an object');
  return {
    recordCount: optionalCount(record, 'recordCount'),
    fieldCount: optionalCount(record, 'fieldCount'),
    recordPath: optionalText(record, 'recordPath'),
    schema: field(record, 'schema') ?? null,
    rawJson: field(record, 'rawJson') ?? null,
  };
}

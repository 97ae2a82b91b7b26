import type { Reader } from '../../model/request.js';
import { groupRunPage } from '../../service/operations/group-runs.js';
import { jobPage } from '../../service/operations/jobs.js';
import { pipelineRunPage } from '../../service/operations/pipeline-runs.js';

/** Pages of the lists of runs, each read once, since several schedules may need the same pages. */
export function pageReader(reader: Reader) {
  return {
    jobs: once((...of: Parameters<typeof jobPage>) => reader.read(jobPage(...of))),
    groupRuns: once((...of: Parameters<typeof groupRunPage>) => reader.read(groupRunPage(...of))),
    pipelineRuns: once((...of: Parameters<typeof pipelineRunPage>) => reader.read(pipelineRunPage(...of))),
  };
}

export type PageReader = ReturnType<typeof pageReader>;

/** Also while the first answer is on its way. */
function once<A extends readonly unknown[], T>(read: (...of: A) => Promise<T>): (...of: A) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (...of) => {
    const key = JSON.stringify(of);
    const answer = known.get(key) ?? read(...of);
    known.set(key, answer);
    return answer;
  };
}

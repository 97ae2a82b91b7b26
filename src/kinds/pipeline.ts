import { runPipeline } from '../service/operations/pipeline-runs.js';
import { pipelineOperations } from '../service/operations/pipelines.js';
import { collectionKind } from './collection.js';
import { agentSequence } from './rules.js';

/** Pipelines (interface §2, §4 Pipelines). The agents are stages, run in this order, at most 25 (§8). */
export const pipeline = collectionKind({
  name: 'pipeline',
  section: 'pipelines',
  shape: 'cds',
  field: 'stages',
  noun: 'stage',
  rule: agentSequence,
  ordered: true,
  maximum: 25,
  startsAtOnce: (stages) => Math.min(stages, 1),
  operations: pipelineOperations,
  startByHand: {
    makes: 'pipelineRun',
    takesInputs: false,
    start(id) {
      const { request, parse } = runPipeline(id);
      return { request, parse: (data) => ({ id: parse(data).id, idKind: 'pipelineRun', startedAt: null }) };
    },
  },
});

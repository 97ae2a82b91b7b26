import { collectionOperations } from './collection.js';

/** Pipelines (interface §2 Pipeline, §4 Pipelines): their steps run in their order. */
export const pipelineOperations = collectionOperations({
  path: '/api/pipelines',
  noun: 'pipeline',
  field: 'steps',
  count: 'stepCount',
  ordered: true,
  idNames: ['id', 'pipelineId'],
});

export const {
  list: listPipelines,
  get: getPipeline,
  create: createPipeline,
  update: updatePipeline,
  replaceAgents: replaceSteps,
  remove: deletePipeline,
  createdId,
} = pipelineOperations;

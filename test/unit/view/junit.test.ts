import { expect, test } from 'vitest';
import { runIn } from '../../../src/operate/run/states.js';
import { runsJunit } from '../../../src/view/ci/junit.js';

test('a stage that a running pipeline has not reached is an error, as one that runs, and not a failure', () => {
  const stage = (name: string, state: 'succeeded' | 'running' | 'notStarted') =>
    runIn(state, { address: `agent/${name}`, id: null, idKind: 'job' });
  const members = [stage('a', 'succeeded'), stage('b', 'running'), stage('c', 'notStarted')];
  const run = runIn('running', { address: 'pipeline/p', id: 'id', idKind: 'pipelineRun' }, { members });
  expect(runsJunit([run], false)).toContain('tests="3" failures="0" errors="2"');
  const ended = { ...run, state: 'failed' as const };
  expect(runsJunit([ended], false)).toContain('tests="3" failures="1" errors="1"');
});

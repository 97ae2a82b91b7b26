import pLimit from 'p-limit';

export interface Queue {
  /** Runs the task when fewer than the queue's number are running. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Runs one task for each item, results in their order. After the first error no further task begins. */
  map<I, T>(items: readonly I[], task: (item: I) => Promise<T>): Promise<T[]>;
}

export function createQueue(concurrency: number): Queue {
  const limit = pLimit(concurrency);
  return {
    run: (task) => limit(task),
    async map(items, task) {
      let failed = false;
      const step = async (item: (typeof items)[number]) => {
        if (failed) throw new Error('not begun, because another task failed');
        try {
          return await task(item);
        } catch (error) {
          failed = true;
          throw error;
        }
      };
      return Promise.all(items.map((item) => limit(step, item)));
    },
  };
}

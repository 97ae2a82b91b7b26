import pLimit from 'p-limit';

export interface Queue {
  /** Runs the task as soon as fewer tasks than the limit are running. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Runs one task per item and returns the results in the order of the items. After an error no further task begins. */
  map<I, T>(items: readonly I[], task: (item: I) => Promise<T>): Promise<T[]>;
}

export function createQueue(concurrency: number): Queue {
  const limit = pLimit(concurrency);
  return {
    run: (task) => limit(task),
    async map(items, task) {
      let failed = false;
      const step = async (item: (typeof items)[number]) => {
        if (failed) throw new Error('not started, because another task failed');
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

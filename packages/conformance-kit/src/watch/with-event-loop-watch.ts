import { EventLoopWatch, type WatchOptions } from "./event-loop-watch.ts";

/** Does some work under a watch, which is stopped whatever comes of it. */
export async function withEventLoopWatch<T>(
  options: WatchOptions,
  work: (watch: EventLoopWatch) => Promise<T>,
): Promise<T> {
  const watch = new EventLoopWatch(options);
  try {
    return await work(watch);
  } finally {
    await watch.stop();
  }
}

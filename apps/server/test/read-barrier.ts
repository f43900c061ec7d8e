import type { ObjectId, Repositories } from "@sallyport/storage";

export interface ReadBarrier {
  /** Resolves when a request wants to read the object. */
  readonly reached: Promise<void>;
  /** The number of requests that wanted to read it. */
  waiting(): Promise<number>;
  /** Lets all requests read it, now and later. */
  open(): void;
}

/** Delays all reads of an object outside a transaction. */
export function readBarrier({ objects }: Pick<Repositories, "objects">, id: ObjectId): ReadBarrier {
  let waiting = 0;
  let reach = () => {};
  let open = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const get = objects.get.bind(objects);
  objects.get = async (which, ...more) => {
    if (!("uuids" in which) && which.includes(id)) {
      waiting += 1;
      reach();
      await opened;
    }
    return get(which, ...more);
  };
  return {
    reached,
    waiting: async () => waiting,
    open: () => {
      objects.get = get;
      open();
    },
  };
}

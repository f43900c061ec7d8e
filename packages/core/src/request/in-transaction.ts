import { ModelCache } from "../model/index.ts";
import type { Attempt, Repositories } from "../storage/index.ts";
import type { RequestContext } from "./request-context.ts";
import type { LastingWork, UnitOfWork } from "./unit-of-work.ts";

/** Runs the work in one transaction, with its context. Joins a transaction that is already open. */
export async function inTransaction<Context extends RequestContext, T>(
  context: Context,
  work: (inside: Context) => Promise<T>,
): Promise<T> {
  if (context.unit.joined) return work(context);
  const { storage } = context.database;
  let lasting: LastingWork[] = [];
  try {
    return await storage.transaction((r, attempt) => {
      // A retry registers its lasting work again.
      lasting = [];
      const unit = new JoinedUnit(r, attempt, (each) => lasting.push(each));
      return work({ ...context, r, unit });
    });
  } finally {
    for (const each of lasting) await each(storage.repositories);
  }
}

/** An open transaction across several use cases of objects and locks. No use case in it changes the model or ends a session. */
export class JoinedUnit implements UnitOfWork {
  readonly joined = true;
  readonly models = new ModelCache();

  constructor(
    private readonly r: Repositories,
    readonly attempt: Attempt,
    /** Registers work to run after the transaction. */
    private readonly afterwards: (work: LastingWork) => void = () => {},
  ) {}

  transaction<T>(work: (r: Repositories) => Promise<T>): Promise<T> {
    return work(this.r);
  }

  async lastingly(work: LastingWork): Promise<void> {
    this.afterwards(work);
  }
}

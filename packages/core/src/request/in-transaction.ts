import { ModelCache } from "../model/index.ts";
import type { Attempt, Repositories } from "../storage/index.ts";
import type { RequestContext } from "./request-context.ts";
import type { LastingWork, UnitOfWork } from "./unit-of-work.ts";

/** Does work in one transaction, with the context of that; where one is open already, in that as it is. */
export async function inTransaction<Context extends RequestContext, T>(
  context: Context,
  work: (inside: Context) => Promise<T>,
): Promise<T> {
  if (context.unit.joined) return work(context);
  const { storage } = context.database;
  let lasting: LastingWork[] = [];
  try {
    return await storage.transaction((r, attempt) => {
      // What was asked for by work that runs again is asked for again.
      lasting = [];
      const unit = new JoinedUnit(r, attempt, (each) => lasting.push(each));
      return work({ ...context, r, unit });
    });
  } finally {
    for (const each of lasting) await each(storage.repositories);
  }
}

/** An open transaction of several use cases of objects and locks: in it no model changes and no session ends. */
export class JoinedUnit implements UnitOfWork {
  readonly joined = true;
  readonly models = new ModelCache();

  constructor(
    private readonly r: Repositories,
    readonly attempt: Attempt,
    /** Takes what is to be done when the transaction is over. */
    private readonly afterwards: (work: LastingWork) => void = () => {},
  ) {}

  transaction<T>(work: (r: Repositories) => Promise<T>): Promise<T> {
    return work(this.r);
  }

  async lastingly(work: LastingWork): Promise<void> {
    this.afterwards(work);
  }
}

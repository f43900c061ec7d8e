import { ModelCache } from "../model/index.ts";
import type { Attempt, Repositories } from "@sallyport/storage";
import type { RequestContext } from "./request-context.ts";
import type { AutonomousWork, UnitOfWork } from "./unit-of-work.ts";

/** Runs the work in one transaction, with its context. Joins a transaction that is already open. */
export async function inTransaction<Context extends RequestContext, T>(
  context: Context,
  work: (inside: Context) => Promise<T>,
): Promise<T> {
  if (context.unit.joined) return work(context);
  const { storage } = context.database;
  let autonomous: AutonomousWork[] = [];
  try {
    return await storage.transaction((r, attempt) => {
      // A retry registers its autonomous work again.
      autonomous = [];
      const unit = new JoinedUnit(r, attempt, (each) => autonomous.push(each));
      return work({ ...context, r, unit });
    });
  } finally {
    for (const each of autonomous) await each(storage.repositories);
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
    private readonly afterwards: (work: AutonomousWork) => void = () => {},
  ) {}

  transaction<T>(work: (r: Repositories) => Promise<T>): Promise<T> {
    return work(this.r);
  }

  async autonomously(work: AutonomousWork): Promise<void> {
    this.afterwards(work);
  }
}

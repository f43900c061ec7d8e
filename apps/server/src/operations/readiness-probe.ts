import { errorEntry, ServiceError } from "@sallyport/core";
import type { DatabaseDirectory, DatabaseEntry, Readiness } from "@sallyport/http";

/** Milliseconds for which an answer is good. */
const cacheTime = 1_000;
/** Milliseconds after which a database that says nothing counts as down. */
const defaultTimeout = 2_000;

/**
 * Asks every database whether it can be used. The server is ready while at least one can be: a database that is down
 * leaves the others working, and only its own addresses answer so.
 */
export class ReadinessProbe {
  private last: { readonly at: number; readonly result: Promise<Readiness> } | undefined;

  constructor(
    private readonly databases: DatabaseDirectory,
    private readonly timeout = defaultTimeout,
  ) {}

  /** At most a second old; parallel questions share one answer. */
  read(): Promise<Readiness> {
    const now = performance.now();
    if (this.last === undefined || now - this.last.at > cacheTime) this.last = { at: now, result: this.ask() };
    return this.last.result;
  }

  private async ask(): Promise<Readiness> {
    const states = await Promise.all(
      Array.from(this.databases, async ([alias, database]) => [alias === "" ? "(empty)" : alias, await stateOf(database, this.timeout)] as const),
    );
    return { ready: states.some(([, state]) => state === "ok"), databases: Object.fromEntries(states) };
  }
}

async function stateOf(database: DatabaseEntry, timeout: number): Promise<string> {
  if (database === null) return errorEntry(705).name;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve("no answer in time"), timeout);
  });
  try {
    return await Promise.race([database.storage.health().then(() => "ok"), late]);
  } catch (error) {
    return errorEntry(error instanceof ServiceError ? error.code : 799).name;
  } finally {
    clearTimeout(timer);
  }
}

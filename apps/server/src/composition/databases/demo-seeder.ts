import type { Database, Digests, PasswordHasher } from "@sallyport/core";
import type { Logger } from "pino";
import { type DemoState, seedDemo } from "../../demo/index.ts";

/** Puts the demo into databases and remembers what it found there. */
export class DemoSeeder {
  private readonly found = new Map<string, DemoState>();

  constructor(
    private readonly hasher: PasswordHasher,
    private readonly digests: Digests,
    private readonly logger: Logger,
  ) {}

  async seed({ alias, storage, policy: { clientHash } }: Database): Promise<DemoState> {
    const state = await seedDemo(storage, { hasher: this.hasher, digests: this.digests, clientHash, alias });
    this.found.set(alias, state);
    if (state === "seeded") this.logger.info({ alias }, "demo data created");
    if (state === "foreign") this.logger.warn({ alias }, "the database holds other data; the demo was not put into it");
    return state;
  }

  /** What it found, by alias; a database that could not be used yet is not among them. */
  get states(): ReadonlyMap<string, DemoState> {
    return this.found;
  }
}

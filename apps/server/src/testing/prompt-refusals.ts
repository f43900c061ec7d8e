import { type Database, recordRefusal, type RefusedRequest } from "@sallyport/core";
import { RefusalWriter } from "../monitoring/refusal-writer.ts";

/** Writes each explanation at once. */
export class PromptRefusals extends RefusalWriter {
  private readonly writing = new Set<Promise<unknown>>();

  override refused(database: Database, refused: RefusedRequest): void {
    if (database.policy.explanations.retention === 0) return;
    // An explanation is an aid: the request that it explains has failed for its own reason.
    const written = recordRefusal(database, refused, performance.now()).catch(() => {});
    this.writing.add(written);
    void written.finally(() => this.writing.delete(written));
  }

  /** Resolves when all explanations are written. */
  async settled(): Promise<void> {
    await Promise.all(this.writing);
  }

  override async stop(): Promise<void> {
    await this.settled();
    await super.stop();
  }
}

import { CheckFiles, type CheckOptions, type ResumableHashes } from "../files/index.ts";
import type { AdministrationContext } from "../request/index.ts";
import { verifyCounters } from "./verify-counters.ts";
import { RecordVerifier } from "./verify-records.ts";
import type { Violation } from "./violation.ts";

export interface VerifyOptions {
  /** `null`: no files. */
  readonly files: CheckOptions | null;
  /** Called with the number of records read since the last call. */
  readonly onRecords?: (count: number) => void;
}

/**
 * Recomputes every invariant of a live database from one snapshot. Reads only. Counters, sessions and files are read
 * afterwards, while others use them: what merely changes meanwhile is no violation.
 */
export class VerifyDatabase {
  constructor(private readonly hashes: ResumableHashes) {}

  async *verifyDatabase(
    context: AdministrationContext,
    { files, onRecords = () => {} }: VerifyOptions,
  ): AsyncGenerator<Violation, void, undefined> {
    const { r, database } = context;
    const verifier = new RecordVerifier();
    for await (const chunk of database.storage.archive.export()) {
      for (const record of chunk) yield* verifier.check(record);
      onRecords(chunk.length);
    }
    yield* verifier.end();
    yield* verifyCounters(r);
    if (files !== null) yield* this.verifyFiles(context, files);
  }

  private async *verifyFiles(context: AdministrationContext, options: CheckOptions): AsyncGenerator<Violation> {
    const checked = new CheckFiles(this.hashes).checkFiles(context, options);
    for await (const { file, objectId, problem } of checked) {
      if (problem !== null)
        yield { invariant: "files", finding: `The bytes of the file ${objectId} are ${problem} (${file}).` };
    }
  }
}

import { type CheckOptions, checkUploads, checkFiles, type UploadServices } from "../files/index.ts";
import { Model } from "../model/index.ts";
import type { AdministrationContext, Uses } from "../request/index.ts";
import { verifyCounters, verifySessions } from "./verify-counters.ts";
import { verifyFileObjects } from "./verify-file-objects.ts";
import { RecordVerifier } from "./verify-records.ts";
import { verifyUserNames } from "./verify-user-names.ts";
import { verifyValues } from "./verify-values.ts";
import type { Violation } from "./violation.ts";

export interface VerifyOptions {
  /** `null`: reads no bytes. Uploads are then checked by their records only. */
  readonly files: CheckOptions | null;
  /** Called with the number of records read since the last call. */
  readonly onRecords?: (count: number) => void;
}

/**
 * Recomputes every invariant of a live database. Reads only. First checks the content of an archive, in one snapshot. Then
 * checks the rest in the live database, where others write: a state that their writes explain is not a violation.
 */
export async function* verifyDatabase(
  context: AdministrationContext & Uses<Pick<UploadServices, "hashes">>,
  { files, onRecords = () => {} }: VerifyOptions,
): AsyncGenerator<Violation, void, undefined> {
  const { r, database } = context;
  const { storage, digests } = database;
  const verifier = new RecordVerifier(digests);
  for await (const chunk of storage.archive.export()) {
    for (const record of chunk) yield* verifier.check(record);
    onRecords(chunk.length);
  }
  yield* verifier.end();
  const model = new Model(await r.model.load());
  yield* verifyCounters(r);
  yield* verifySessions(r);
  yield* verifyUserNames(r, model, digests);
  yield* verifyFileObjects(r, model);
  yield* verifyValues(storage, model);
  for await (const { upload, missing } of checkUploads(context, { bytes: files !== null }))
    yield { invariant: "uploads", finding: `The upload ${upload} lacks ${missing}.` };
  if (files === null) return;
  for await (const { file, objectId, problem } of checkFiles(context, files)) {
    if (problem !== null)
      yield { invariant: "files", finding: `The bytes of the file ${objectId} are ${problem} (${file}).` };
  }
}

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasObjectStorage, TestBucket } from "@sallyport/test-kit/files/test-bucket";
import { isFullRun } from "@sallyport/test-kit/scope";
import type { RunningServer } from "../../src/index.ts";
import { type Engine, engines, onEngines, testedEngines } from "../engines.ts";
import { macroEnvironment } from "../macro-fixture.ts";
import { tuned } from "../test-environment.ts";

/** The directory of the file stores of one test file. */
export const filesDirectory = mkdtempSync(join(tmpdir(), "sallyport-files-"));
afterAll(() => rmSync(filesDirectory, { recursive: true, force: true }));

/** Settings of servers with that store, and with short time limits. */
export const fileEnvironment = {
  FILES_DIRECTORY: filesDirectory,
  REQUEST_TIMEOUT: "700ms",
  ...tuned({ http: { uploadSilence: 500 } }),
  ...macroEnvironment,
};

/** Number of segments in the store, complete or not. */
export function countFiles(): number {
  return readdirSync(filesDirectory, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()).length;
}

/** Settings of servers with a store in a bucket. */
export const inBucket = ({ options: { endpoint, bucket: name, accessKeyId, secretAccessKey } }: TestBucket) => ({
  ...fileEnvironment,
  FILES_STORE: "s3",
  FILES_S3_ENDPOINT: endpoint,
  FILES_S3_BUCKET: name,
  FILES_S3_PREFIX: "sallyport/",
  FILES_S3_ACCESS_KEY_ID: accessKeyId,
  FILES_S3_SECRET_ACCESS_KEY: secretAccessKey,
});

/** The engines of servers that encrypt files. The engine has no part in it, so these servers test both. */
export const encryptingEngines: readonly Engine[] = (isFullRun ? engines : testedEngines).filter(
  (engine) => engine !== "memory",
);

/** Defines a suite for servers with files in a directory, in clear text and encrypted, and in object storage. */
export async function onFileServers(name: string, suite: (server: () => RunningServer) => void): Promise<void> {
  onEngines(name, suite, { environment: fileEnvironment, on: ["memory"] });
  onEngines(`${name}, encrypted`, suite, {
    environment: { ...fileEnvironment, FILES_ENCRYPT: "true" },
    on: encryptingEngines,
  });
  if (!hasObjectStorage) return;
  const bucket = await TestBucket.create();
  afterAll(() => bucket.remove());
  onEngines(`${name}, in object storage`, suite, { environment: inBucket(bucket), on: ["embedded"] });
}

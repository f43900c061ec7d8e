import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { renewIdentity } from "./identity.ts";
import { type ArchivedFile, filesOf } from "./tar-archive.ts";

/** The files of the cluster that the build prepares. */
export interface PreparedFiles {
  readonly archive: URL;
  /** The digests of the archive and of its sources. */
  readonly digests: URL;
}

export const preparedFiles: PreparedFiles = {
  archive: new URL("../../data/cluster.tar.gz", import.meta.url),
  digests: new URL("../../data/cluster.json", import.meta.url),
};

/** A cluster that is ready for its first use. */
export interface NewCluster {
  /** A tar archive, with memory of its own. */
  readonly archive: Uint8Array;
  /** The files in the archive. */
  readonly files: readonly ArchivedFile[];
}

/**
 * A copy of a template, or of the cluster that the build has prepared, with an identity of its own. `undefined` without
 * both: the engine then runs `initdb`, which takes some seconds.
 */
export async function newCluster(
  template: Blob | undefined,
  prepared: PreparedFiles = preparedFiles,
): Promise<NewCluster | undefined> {
  const source = template === undefined ? await preparedArchive(prepared) : Buffer.from(await template.arrayBuffer());
  if (source === undefined) return undefined;
  const isCompressed = source[0] === 0x1f && source[1] === 0x8b;
  const archive = isCompressed ? await promisify(gunzip)(source, { chunkSize }) : source;
  const files = filesOf(archive);
  renewIdentity(files);
  return { archive, files };
}

/** The size of a decompressed piece in bytes. Thousands of small pieces cost more time than the decompression. */
const chunkSize = 4 * 1024 * 1024;

/** `undefined` if there is none. Throws if it is not the archive that the build has prepared. */
async function preparedArchive({ archive, digests }: PreparedFiles): Promise<Buffer | undefined> {
  try {
    const { sha256 } = JSON.parse(await readFile(digests, "utf8")) as { readonly sha256: unknown };
    const packed = await readFile(archive);
    if (createHash("sha256").update(packed).digest("hex") === sha256) return packed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  throw new Error(`${fileURLToPath(archive)} is damaged. Install the package again.`);
}

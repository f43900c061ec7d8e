import { ServiceError } from "../errors/index.ts";
import type { StoredFile } from "./stored-files.ts";

/** Begins a SHA-256. It cannot be saved, and is several times faster than a resumable one. */
export type NewSha256 = () => {
  update(bytes: Uint8Array): unknown;
  digest(encoding: "hex"): string;
};

/** Passes on the bytes of a file. Throws 707 at their end if they are not those of its record. */
export async function* intact(
  bytes: AsyncIterable<Uint8Array>,
  { size, sha256 }: StoredFile,
  newSha256: NewSha256,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = newSha256();
  let length = 0;
  for await (const each of bytes) {
    hash.update(each);
    length += each.length;
    yield each;
  }
  if (length !== size || hash.digest("hex") !== sha256)
    throw new ServiceError(707, { detail: "The bytes differ from the SHA-256 of the file." });
}

import { ServiceError } from "@sallyport/storage";
import type { FileHashes } from "./file-hashes.ts";
import type { FileDescription } from "../objects/index.ts";

/** Passes on the bytes of a file. Throws 707 at their end if they are not those of its record. */
export async function* intact(
  bytes: AsyncIterable<Uint8Array>,
  { size, sha256 }: FileDescription,
  hashes: FileHashes,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = hashes.sha256();
  let length = 0;
  for await (const each of bytes) {
    hash.update(each);
    length += each.length;
    yield each;
  }
  if (length !== size || hash.digest() !== sha256)
    throw new ServiceError(707, { detail: "The bytes differ from the SHA-256 of the file." });
}

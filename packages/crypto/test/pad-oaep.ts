import { createHash, randomBytes } from "node:crypto";

interface Faults {
  readonly first?: number;
  readonly label?: string;
  readonly filling?: number;
  readonly separator?: number;
}

/** OAEP as in RFC 8017, written independently of the product's, with options for mistakes. */
export function padOaep(message: Uint8Array, size: number, hashName: "sha1" | "sha256", faults: Faults = {}): Buffer {
  const { first = 0, label = "", filling = 0, separator = 1 } = faults;
  const digest = createHash(hashName).update(label).digest();
  const zeros = Buffer.alloc(size - message.length - 2 * digest.length - 2);
  if (zeros.length > 0) zeros[zeros.length - 1] = filling;
  const data = Buffer.concat([digest, zeros, Buffer.of(separator), message]);
  const seed = randomBytes(digest.length);
  const maskedData = mask(data, seed, hashName);
  return Buffer.concat([Buffer.of(first), mask(seed, maskedData, hashName), maskedData]);
}

function mask(bytes: Buffer, seed: Buffer, hashName: string): Buffer {
  const stream: Buffer[] = [];
  for (let counter = 0; Buffer.concat(stream).length < bytes.length; counter++) {
    stream.push(
      createHash(hashName)
        .update(seed)
        .update(Buffer.of(0, 0, 0, counter))
        .digest(),
    );
  }
  const all = Buffer.concat(stream);
  return Buffer.from(bytes.map((byte, at) => byte ^ all.readUInt8(at)));
}

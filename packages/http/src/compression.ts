import * as zlib from "node:zlib";
import { promisify } from "node:util";

/** A content coding of answers. */
export type Coding = "gzip" | "zstd";

/** Bytes from which an answer is worth compressing. */
export const compressedFrom = 4 * 1024;
/** Bytes up to which compressing takes less than a turn of the event loop should. More are left to a thread of the pool. */
const inlineUpTo = 64 * 1024;
/** Maximum number of answers in the threads of the pool, which hash passwords and read files, too. */
const maxInThreads = 4;

interface Codec {
  readonly inline: (bytes: Uint8Array) => Buffer;
  readonly inThread: (bytes: Uint8Array) => Promise<Buffer>;
}

/** A part of `node:zlib` that Node has from 22.15 on. */
interface Zstd {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: object) => Buffer;
  readonly zstdCompress?: (
    bytes: Uint8Array,
    options: object,
    done: (error: Error | null, result: Buffer) => void,
  ) => void;
}

const { zstdCompressSync, zstdCompress } = zlib as Zstd;

/** Level 1 costs a third of the default level, and JSON gets nearly as small. */
const gzipOptions = { level: 1 };
/** `ZSTD_c_compressionLevel`. */
const zstdOptions = { params: { 100: 1 } };

const gzip = promisify<Uint8Array, zlib.ZlibOptions, Buffer>(zlib.gzip);

/** The codings of this runtime, preferred ones first. */
const codecs: ReadonlyMap<Coding, Codec> = new Map<Coding, Codec>([
  ...(zstdCompressSync === undefined || zstdCompress === undefined
    ? []
    : [
        [
          "zstd",
          {
            inline: (bytes) => zstdCompressSync(bytes, zstdOptions),
            inThread: (bytes) => promisify<Uint8Array, object, Buffer>(zstdCompress)(bytes, zstdOptions),
          },
        ] as const satisfies readonly [Coding, Codec],
      ]),
  ["gzip", { inline: (bytes) => zlib.gzipSync(bytes, gzipOptions), inThread: (bytes) => gzip(bytes, gzipOptions) }],
]);

const weighted = /^[\t ]*([A-Za-z0-9_*-]+)[\t ]*(?:;[\t ]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[\t ]*)?$/i;

/** The coding that `Accept-Encoding` prefers; `null` if it prefers none, or names none of this runtime. */
export function acceptedCoding(header: string | undefined): Coding | null {
  if (header === undefined) return null;
  const weights = new Map<string, number>();
  for (const part of header.split(",")) {
    const [, name = "", weight = "1"] = weighted.exec(part) ?? [];
    if (name !== "") weights.set(name.toLowerCase().replace(/^x-gzip$/, "gzip"), Number(weight));
  }
  const others = weights.get("*");
  // Without a weight of its own, the plain answer is acceptable and preferred to nothing.
  let best = weights.get("identity") ?? 0;
  let coding: Coding | null = null;
  for (const name of codecs.keys()) {
    const weight = weights.get(name) ?? others ?? 0;
    if (weight === 0 || weight < best || (coding !== null && weight === best)) continue;
    best = weight;
    coding = name;
  }
  return coding;
}

let inThreads = 0;

/** The bytes in this coding; `null` if the threads are busy. Never rejects: bytes that cannot be compressed are `null`. */
export function compressed(bytes: Uint8Array, coding: Coding): Buffer | null | Promise<Buffer | null> {
  const codec = codecs.get(coding) as Codec;
  if (bytes.length <= inlineUpTo) return codec.inline(bytes);
  if (inThreads >= maxInThreads) return null;
  inThreads += 1;
  return codec
    .inThread(bytes)
    .catch(() => null)
    .finally(() => {
      inThreads -= 1;
    });
}

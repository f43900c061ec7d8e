/**
 * Limit: node:http that writes the body of a request to a file, durably, and sends it back. Arguments: port, folder. A
 * `PUT` is answered when its bytes are on the disk; with a `content-range`, they are a chunk. The path names a cipher for the
 * bytes or `digests`, which computes the MD5 and SHA-256 of what is uploaded.
 */
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { type Duplex, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";

const [, , port, folder = ""] = process.argv;
const file = join(folder, "bare");
await writeFile(file, "");

const [key, nonce, block] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2), Buffer.alloc(16, 3)];

function digests(): Transform {
  const hashes = ["md5", "sha256"].map((algorithm) => createHash(algorithm));
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const hash of hashes) hash.update(chunk);
      done(null, chunk);
    },
  });
}

/** What bytes pass on their way to the file, and back. */
const steps: ReadonlyMap<string, { readonly store: () => Duplex; readonly load: () => Duplex }> = new Map(
  Object.entries({
    "/digests": { store: digests, load: digests },
    // As in a secure session: the client has encrypted what it sends, and decrypts what it gets.
    "/aes-256-ctr": {
      store: () => createDecipheriv("aes-256-ctr", key, block),
      load: () => createCipheriv("aes-256-ctr", key, block),
    },
    // As files are sealed on the disk. Without a tag to check, opening is the same work as sealing.
    "/aes-256-gcm": {
      store: () => createCipheriv("aes-256-gcm", key, nonce),
      load: () => createCipheriv("aes-256-gcm", key, nonce),
    },
  }),
);

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const step = steps.get(request.url ?? "");
  if (request.method === "PUT") {
    const start = Number(/^bytes (\d+)-/.exec(request.headers["content-range"] ?? "")?.[1] ?? 0);
    const target = createWriteStream(file, { flush: true, start, flags: start === 0 ? "w" : "r+" });
    await pipeline([request, ...(step ? [step.store()] : []), target]);
    response.end();
    return;
  }
  const { size } = await stat(file);
  response.writeHead(200, { "content-length": size });
  await pipeline([createReadStream(file), ...(step ? [step.load()] : []), response]);
}

createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
}).listen(Number(port), "127.0.0.1");

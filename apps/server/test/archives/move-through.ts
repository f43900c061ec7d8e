import { createHash } from "node:crypto";
import { noFileCipher, seesAll, type Storage } from "@sallyport/storage";
import { KeyStore, MacroStore, dumpFiles, restoreFiles } from "@sallyport/core";
import { NodeDigests, NodeRandomSource, ThreadHashes } from "@sallyport/crypto";
import { MemoryStorage } from "@sallyport/storage-memory";
import { MemoryFileStore } from "@sallyport/test-kit/files/memory-file-store";
import { openArchive, writeArchive } from "../../src/archive/index.ts";
import { seedDemo } from "../../src/demo/seed-demo.ts";
import { PlainPasswordHasher } from "../plain-password-hasher.ts";

const header = { version: "1", database: "demo", writtenAt: "2026-01-01T00:00:00.000Z", without: [], files: true };
const hashes = new ThreadHashes();

async function archiveOf(storage: Storage, files: MemoryFileStore): Promise<Buffer> {
  const parts: Buffer[] = [];
  const all = dumpFiles(
    { database: { storage, files, fileCipher: noFileCipher }, services: { hashes } },
    storage.archive.export(),
  );
  for await (const part of writeArchive(header, all)) parts.push(part);
  return Buffer.concat(parts);
}

async function* byteByByte(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 10_000) yield bytes.subarray(start, start + 10_000);
}

/** One of everything that the demo lacks. */
async function writeMore(storage: Storage): Promise<void> {
  const r = storage.repositories;
  const { objects } = await r.objects.find({ classes: ["Invoice"] }, seesAll, { offset: 0, limit: 3 });
  const [first, second, third] = objects.map(({ id }) => id) as [string, string, string];
  await storage.transaction(async (inside) => {
    await inside.deletion.delete([first], { recycled: true, root: first });
    await inside.deletion.delete([second], { recycled: false, root: second });
  });
  await r.objects.update(
    [
      {
        id: third,
        attributes: { Number: "1e21", Nested: { 10: 1e21, 9: -1e-7, ä: ["\u0001"] } },
        links: {},
        expectedVersions: null,
      },
    ],
    { session: null },
  );
  await new KeyStore(r.records).addFirst(
    {
      kind: "rsa",
      keyId: "one",
      publicKey: "public",
      wrappedPrivateKey: "wrapped",
    },
    await storage.now(),
  );
  for (const text of ["export default 1;", "\u0001é\t"])
    await new MacroStore(r).put({ name: "Report", text, language: "ts", changedBy: "author" }, null);
  await new MacroStore(r).put({ name: "Gone", text: "", language: "js", changedBy: "author" }, null);
  await new MacroStore(r).remove("Gone", { changedBy: "reviewer", expectedVersion: 1 });
  const event = {
    type: "login.refused",
    requestId: "r",
    outcome: 302,
    appKeyId: "1",
    actorId: third,
    subjectId: third,
    address: "::1",
    appNames: ["a"],
    className: "Invoice",
    macroName: "Report",
    providerName: "apple",
    changes: [{ name: "rights.read", before: ["*"], after: [] }],
  } as const;
  await r.audit.append(event);
  await r.audit.append(event, "key");
}

/**
 * Moves an extended demo in memory, with its files, from storage to storage. Returns digests of the first archive, and of
 * those of all storages.
 */
export async function moveThrough(targets: readonly Storage[]): Promise<{ original: string; copies: string[] }> {
  const memory = new MemoryStorage();
  await memory.migrate();
  const files = new MemoryFileStore();
  await seedDemo(memory, {
    hasher: new PlainPasswordHasher(),
    digests: new NodeDigests(),
    clientHash: "md5",
    alias: "",
    files,
  });
  await writeMore(memory);
  let archive = await archiveOf(memory, files);
  await memory.close();
  const original = digestOf(contentsOf(archive));
  const copies: string[] = [];
  for (const target of targets) {
    await target.migrate();
    const { records } = await openArchive(byteByByte(archive));
    const store = new MemoryFileStore();
    const restored = restoreFiles(
      {
        database: { files: store, fileCipher: noFileCipher },
        services: { random: new NodeRandomSource(), hashes },
      },
      records,
    );
    if ((await target.archive.import(restored)) !== "imported") throw new Error("The storage is not empty.");
    archive = await archiveOf(target, store);
    copies.push(digestOf(contentsOf(archive)));
  }
  return { original, copies };
}

/** Without the names and times of segments and the times of sums, which a restore writes again, and without checks. */
function contentsOf(archive: Buffer): Buffer {
  const rewritten = /("kind": "(?:segment|storedBytes)".*"value": (?:\d+|\{"length": \d+), ).*/g;
  return Buffer.from(
    archive
      .toString()
      .replaceAll(rewritten, "$1")
      .replaceAll(/^\{"check".*/gm, ""),
  );
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

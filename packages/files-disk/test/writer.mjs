/**
 * Writes segments without end, eight at a time, and prints the name of each when its write is acknowledged.
 *
 *     node writer.mjs <directory> <file>
 */
import { writeSync } from "node:fs";
import { DiskFileStore } from "@sallyport/files-disk";

const [directory, file] = process.argv.slice(2);
const store = new DiskFileStore(directory);
let next = 0;

async function* content(index) {
  const bytes = Buffer.alloc(1 + ((index * 7_919) % 300_000), index);
  for (let offset = 0; offset < bytes.length; offset += 20_000) yield bytes.subarray(offset, offset + 20_000);
}

async function work() {
  for (;;) {
    const index = (next += 1);
    const segment = index.toString(16).padStart(32, "0");
    await store.write({ file, segment }, content(index));
    writeSync(1, `${segment}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, work));

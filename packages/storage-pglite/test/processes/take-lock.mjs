/** Tries to take the lock of a directory (argument) for every input line, prints "taken" or "refused", and keeps the lock. */
import { createInterface } from "node:readline";
import { lockDirectory } from "../../dist/lock/directory-lock.js";

const locks = [];
process.stdout.write("ready\n");
for await (const _line of createInterface({ input: process.stdin })) {
  try {
    locks.push(await lockDirectory(process.argv[2]));
    process.stdout.write("taken\n");
  } catch (error) {
    process.stdout.write(error.name === "DirectoryLockedError" ? "refused\n" : `${error.stack}\n`);
  }
}

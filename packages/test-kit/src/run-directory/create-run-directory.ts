import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { runDirectory } from "./run-directory.ts";

/**
 * Options of the workers. Without the optimizing compiler for WebAssembly, an embedded engine costs half as much to
 * start and close, and few live long enough to gain from it. Most objects of a test die within a larger nursery. Broken
 * adapters leave files open, which Node would report.
 */
const workerOptions = ["--liftoff-only", "--min-semi-space-size=16", "--max-semi-space-size=64", "--no-warnings"];

/** Bytes: several times the largest size of the directory in a run. */
const enoughMemory = 6 * 1024 ** 3;

/**
 * Jest's `globalSetup`: creates the directory of the run, passes it to the workers in an environment variable, and
 * makes it their directory for temporary files. It is in memory if this machine has enough.
 */
export default function createRunDirectory(): void {
  process.execArgv.push(...workerOptions);
  const parent = process.env["TMPDIR"] === undefined && hasMemoryFor("/dev/shm") ? "/dev/shm" : tmpdir();
  const directory = mkdtempSync(join(parent, "sallyport-run-"));
  // Postgres runs in it, by another account if this one is root.
  chmodSync(directory, 0o755);
  process.env["SALLYPORT_TEST_RUN"] = directory;
  process.env["TMPDIR"] = directory;
  process.env["SALLYPORT_TEST_START"] = String(Date.now());
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(signal, () => {
      try {
        // The workers and the database may still write.
        rmSync(runDirectory(), { recursive: true, force: true, maxRetries: 10 });
      } finally {
        process.exit(code);
      }
    });
}

/** Whether this is a directory in memory with enough space, whose files can be executed, as those of Postgres. */
function hasMemoryFor(directory: string): boolean {
  if (process.platform !== "linux") return false;
  const mount = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .find(([, place]) => place === directory);
  if (mount?.[2] !== "tmpfs" || (mount[3] ?? "").split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize >= enoughMemory && freemem() >= enoughMemory;
}

import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { inspect } from "node:util";

/** What keeps the event loop alive, as types with their number, such as `{ Timeout: 2 }`. */
type Resources = Readonly<Record<string, number>>;

/** The resources of the worker itself, such as its output. */
const ownResources = resourcesNow();

/** The resources at the end of each test file of this worker. */
const filesSoFar: { readonly path: string; readonly resources: Resources }[] = [];

/** Milliseconds between two looks whether this worker should have ended. */
const interval = 10_000;

/** Looks after which what holds the worker is reported. The first can come at once. */
const patience = 3;

/** Environment variable with a file to which a held worker adds the paths of the test files that may hold it. */
export const heldFilesVariable = "HELD_TEST_FILES";

/** Notes that a test file of this worker has ended. */
export function noteEnd(path: string): void {
  filesSoFar.push({ path, resources: resourcesNow() });
}

/**
 * Reports what holds this worker if it still runs half a minute after its last test. Jest ends it later by force, and then says
 * nothing of the reason.
 */
export function reportIfHeld(): void {
  if (process.send === undefined) return;
  let looks = 0;
  // Jest has told a worker to end when nothing listens to its messages any more.
  const timer = setInterval(() => {
    looks = process.listenerCount("message") === 0 ? looks + 1 : 0;
    if (looks === patience) report();
  }, interval);
  timer.unref();
}

function resourcesNow(): Resources {
  const counts: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function report(): void {
  const resources = resourcesNow();
  const suspects = filesThatHold(resources);
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  process.stderr.write(
    `A worker does not exit. It is held by ${inspect(resources, { breakLength: Infinity })}.\n` +
      `Since these test files: ${suspects.map((path) => relative("", path)).join(", ")}\n` +
      handles.map((handle) => `- ${describe(handle)}\n`).join(""),
  );
  const notes = process.env[heldFilesVariable];
  if (notes !== undefined) appendFileSync(notes, suspects.map((path) => `${path}\n`).join(""));
}

/** For each type, the file since whose end there have always been as many resources as now, or more. */
function filesThatHold(resources: Resources): string[] {
  const foreign = Object.entries(resources).filter(([type, count]) => count > (ownResources[type] ?? 0));
  const found = foreign.map(([type, count]) => {
    const last = filesSoFar.findLastIndex((file) => (file.resources[type] ?? 0) < count);
    return (filesSoFar[last + 1] ?? filesSoFar.at(-1))?.path;
  });
  return [...new Set(found)].filter((path) => path !== undefined);
}

/** A handle in one line: what it is, and its addresses or its command. */
function describe(handle: unknown): string {
  const { constructor, localPort, remoteAddress, remotePort, spawnargs, address } = handle as {
    readonly constructor: { readonly name: string };
    readonly localPort?: number;
    readonly remoteAddress?: string;
    readonly remotePort?: number;
    readonly spawnargs?: readonly string[];
    readonly address?: () => unknown;
  };
  const parts = [constructor.name];
  if (remotePort !== undefined) parts.push(`from port ${localPort} to ${remoteAddress}:${remotePort}`);
  else if (typeof address === "function") parts.push(inspect(address.call(handle), { breakLength: Infinity }));
  if (spawnargs !== undefined) parts.push(spawnargs.join(" "));
  return parts.join(" ");
}

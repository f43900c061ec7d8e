import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startDemoOn } from "../engines.ts";

const mebibyte = 1_024 * 1_024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use by the heap and by buffers. */
function bytesInUse(): number {
  // The second collection waits until the buffers that the first has found are freed.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Bytes in use while a server is idle that has answered one request. */
async function bytesOfServer(hasConsole: boolean): Promise<number> {
  const { servers, close } = await startDemoOn("memory", { environment: { CONSOLE_ENABLED: String(hasConsole) } });
  try {
    const { status } = await fetch(`${servers[0]?.url}/console/config.json`);
    expect(status).toBe(hasConsole ? 200 : 404);
    return bytesInUse();
  } finally {
    await close();
  }
}

describe("memory in use", () => {
  beforeAll(async () => {
    // The first server of each kind loads modules and fills caches.
    for (const hasConsole of [true, false]) await bytesOfServer(hasConsole);
  });

  test("grows by at most 2 MiB for the console of an idle server", async () => {
    const without = await bytesOfServer(false);
    expect((await bytesOfServer(true)) - without).toBeLessThan(2 * mebibyte);
  });

  test("does not grow by servers that were closed", async () => {
    const before = bytesInUse();
    const count = 5;
    for (let times = 0; times < count; times += 1) await bytesOfServer(true);
    expect((bytesInUse() - before) / count).toBeLessThan(mebibyte);
  });
});

import { probeBeacon } from "./lock-beacon.ts";
import type { LockRecord } from "./lock-record.ts";
import { machineIdentity, processRuns } from "./process-identity.ts";

/**
 * Whether the holder of a lock still runs: "alive", "gone", or "unknown" when nothing here can tell.
 *
 * - Same boot and same pid namespace: the process id with its start time decides, so a recycled pid deceives nobody.
 * - Same boot, other pid namespace (another container, or this one's former life, where everybody is pid 1): the beacon decides.
 * - Another boot under the same host name: the machine was restarted, so the holder is gone.
 * - Another host: unknown. A shared network volume is the case this refuses.
 */
export async function judgeHolder(directory: string, record: LockRecord): Promise<"alive" | "gone" | "unknown"> {
  const here = machineIdentity();
  if (record.bootId !== here.bootId || record.bootId === null) {
    if (record.host !== here.host) return "unknown";
    if (record.bootId !== here.bootId) return "gone";
  }
  if (record.pidNamespace !== null && record.pidNamespace === here.pidNamespace) return byProcess(record);
  if (record.beacon !== null) return byBeacon(directory, record.beacon);
  return record.pidNamespace === here.pidNamespace ? byProcess(record) : "unknown";
}

function byProcess(record: LockRecord): "alive" | "gone" {
  return processRuns(record.pid, record.start) ? "alive" : "gone";
}

async function byBeacon(directory: string, beacon: string): Promise<"alive" | "gone" | "unknown"> {
  const answer = await probeBeacon(directory, beacon);
  return answer === "lit" ? "alive" : answer === "dark" ? "gone" : "unknown";
}

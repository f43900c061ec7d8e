import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Contestant } from "./contestant.ts";
import type { Figures } from "./figures.ts";

const entry = fileURLToPath(new URL("../limits/argon2-limit.js", import.meta.url));

/** The limit of log-ins: the same hashing, and nothing around it. */
export class Argon2OnAllCores implements Contestant {
  constructor(readonly name: string) {}

  async measure(seconds: number): Promise<Figures> {
    const child = fork(entry, [String(seconds)]);
    try {
      const [message] = await once(child, "message", { signal: AbortSignal.timeout((seconds + 20) * 1000) });
      const counted = message as { checked: number; seconds: number; cpu: number };
      const perSecond = counted.checked / counted.seconds;
      return { perSecond, cpu: counted.cpu / counted.checked, backendCpu: 0, p50: 0, p99: 0 };
    } finally {
      child.kill("SIGKILL");
    }
  }
}

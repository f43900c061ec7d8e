import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** File descriptor on which the parent process reads the peak memory. */
const report = 3;

// In KiB. Node loads it into worker threads, too, and their ends must not be reported.
if (isMainThread)
  process.on("exit", () => {
    writeSync(report, String(process.resourceUsage().maxRSS));
  });

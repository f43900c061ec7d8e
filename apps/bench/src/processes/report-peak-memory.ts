import { writeSync } from "node:fs";

/** File descriptor on which the parent process reads the peak memory. */
const report = 3;

process.on("exit", () => {
  writeSync(report, String(process.resourceUsage().maxRSS));
});

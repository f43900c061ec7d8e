import { spawn } from "node:child_process";
import { once } from "node:events";
import { program, serverProgram } from "./served-command-line.ts";

describe.each([
  ["sallyport", program, 2],
  ["sallyport-server", serverProgram, 1],
])("%s", (_name, path, unknown) => {
  test.each([
    ["output", ["--help"], "stdout", 0],
    ["messages", ["no-such-command"], "stderr", unknown],
  ] as const)("ends as ever when the reader of its %s has gone", async (_what, args, output, code) => {
    const child = spawn(process.execPath, ["--liftoff-only", path, ...args]);
    const other = child[output === "stdout" ? "stderr" : "stdout"];
    const texts: string[] = [];
    other.setEncoding("utf8").on("data", (text: string) => texts.push(text));
    child[output].destroy();
    const [ended] = await once(child, "close");
    expect({ ended, printed: texts.join("") }).toEqual({ ended: code, printed: "" });
  });
});

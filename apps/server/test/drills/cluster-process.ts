import { type ChildProcess, execFileSync } from "node:child_process";

/** A user of this machine, as which a database server runs: none runs as root. */
export function accountOf(name: string): { readonly uid: number; readonly gid: number } {
  const id = (kind: string) => Number(execFileSync("id", [kind, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Resolves when a server has said on standard error that it is ready. Rejects with its last words if it ends before. */
export async function untilSaid(child: ChildProcess, words: RegExp): Promise<void> {
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-20_000);
      if (words.test(output)) resolve();
    });
    child.once("exit", () => reject(new Error(output)));
    child.once("error", reject);
  });
}

import { relative } from "node:path";
import { createAdapter } from "./create-adapter.ts";
import { CreateError } from "./create-error.ts";

export const usage = `Usage: npm create @sallyport/storage-adapter <folder>

Makes a folder with a storage adapter for Sallyport in which everything but the
access to your database is written, and the command that tells how far you are.
`;

/** Where the command writes. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** The command `create-storage-adapter`; gives its exit code. */
export async function runCommand(args: readonly string[], { stdout, stderr }: Terminal): Promise<0 | 1 | 2> {
  const [folder, ...others] = args;
  if (folder === "--help" || folder === "-h") {
    stdout.write(usage);
    return 0;
  }
  if (folder === undefined || folder.startsWith("-") || others.length > 0) {
    stderr.write(usage);
    return 2;
  }
  try {
    stdout.write(nextSteps(await createAdapter(folder)));
    return 0;
  } catch (error) {
    if (!(error instanceof CreateError)) throw error;
    stderr.write(`error: ${error.message}\n`);
    return 1;
  }
}

function nextSteps(target: string): string {
  return `
${target} is made. Now:

  cd ${relative(process.cwd(), target) || "."}
  npm install
  npm test

The test tells what is still to be written. Begin with src/engine.js; README.md says what comes then.
`;
}

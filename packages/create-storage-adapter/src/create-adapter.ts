import { cp, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** An adapter folder could not be created. The message says what to do. */
export class CreateError extends Error {
  override readonly name = "CreateError";
}

const template = fileURLToPath(new URL("../template", import.meta.url));
const packageFile = fileURLToPath(new URL("../package.json", import.meta.url));

/** A valid npm package name that needs no quoting. */
const packageName = /^[a-z][a-z0-9-]{0,99}$/;

/**
 * Creates an adapter skeleton in a new or empty folder and names the package after it. Returns the path. Throws
 * `CreateError` if the folder is not empty or its name is not a valid package name.
 */
export async function createAdapter(folder: string): Promise<string> {
  const target = resolve(folder);
  const name = basename(target);
  if (!packageName.test(name)) {
    throw new CreateError(
      `"${name}" is not a valid package name. Use a lowercase letter, then lowercase letters, digits and hyphens.`,
    );
  }
  await prepareDirectory(target);
  await cp(template, target, { recursive: true });
  // npm excludes a file named `.gitignore` from a package.
  await rename(join(target, "gitignore"), join(target, ".gitignore"));
  const { version } = JSON.parse(await readFile(packageFile, "utf8")) as { readonly version: string };
  for (const file of ["package.json", "conformance.js", "README.md"]) {
    const text = await readFile(join(target, file), "utf8");
    await writeFile(join(target, file), text.replaceAll("{{name}}", name).replaceAll("{{version}}", version));
  }
  return target;
}

async function prepareDirectory(target: string): Promise<void> {
  const stats = await stat(target).catch(() => null);
  if (stats === null) await mkdir(target, { recursive: true });
  else if (!stats.isDirectory()) throw new CreateError(`${target} is a file.`);
  else if ((await readdir(target)).length > 0) throw new CreateError(`${target} is not empty. Use a new directory.`);
}

export const usage = `Usage: npm create @sallyport/storage-adapter <directory>

Create a directory with a storage adapter for Sallyport. It contains everything except
the access to your database, and a command that reports what is left to implement.
`;

/** The output streams of the command. */
export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs the command `create-storage-adapter` and returns its exit code. */
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
Created ${target}. Next steps:

  cd ${relative(process.cwd(), target) || "."}
  npm install
  npm test

The tests report what is left to implement. Start with src/kernel.js and continue as in README.md.
`;
}

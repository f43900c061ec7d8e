import { cp, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CreateError } from "./create-error.ts";

const template = fileURLToPath(new URL("../template", import.meta.url));
const packageFile = fileURLToPath(new URL("../package.json", import.meta.url));

/** Names that npm takes and that need no quotation marks anywhere. */
const packageName = /^[a-z][a-z0-9-]{0,99}$/;

/**
 * Makes a folder with an adapter to be written, named after the folder; the folder may be there if it is empty. Returns its
 * path. Throws a `CreateError` if there is something in it, or if its name is none for a package.
 */
export async function createAdapter(folder: string): Promise<string> {
  const target = resolve(folder);
  const name = basename(target);
  if (!packageName.test(name)) {
    throw new CreateError(
      `"${name}" is no name for a package: take a lowercase letter, then lowercase letters, digits and hyphens.`,
    );
  }
  await claim(target);
  await cp(template, target, { recursive: true, force: false, errorOnExist: true });
  // A file of this name would be no part of a package.
  await rename(join(target, "gitignore"), join(target, ".gitignore"));
  const { version } = JSON.parse(await readFile(packageFile, "utf8")) as { readonly version: string };
  for (const file of ["package.json", "conformance.js", "README.md"]) {
    const text = await readFile(join(target, file), "utf8");
    await writeFile(join(target, file), text.replaceAll("{{name}}", name).replaceAll("{{version}}", version));
  }
  return target;
}

async function claim(target: string): Promise<void> {
  const found = await stat(target).catch(() => null);
  if (found === null) await mkdir(target, { recursive: true });
  else if (!found.isDirectory()) throw new CreateError(`${target} is a file.`);
  else if ((await readdir(target)).length > 0)
    throw new CreateError(`${target} is not empty. Name a folder that is not there yet.`);
}

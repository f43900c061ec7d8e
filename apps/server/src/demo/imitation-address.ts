import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const fileIn = (folder: string) => join(folder, "provider-imitation.url");

/** Says in the folder of a demo at which address its imitations of providers are, for commands that ask what the server asks; what is given takes it back. */
export async function tellImitationAddress(folder: string, url: string): Promise<() => Promise<void>> {
  await writeFile(fileIn(folder), `${url}\n`, { mode: 0o600 });
  return async () => {
    // Another server of the demo may have said another one since.
    if ((await readImitationAddress(folder)) === url) await rm(fileIn(folder), { force: true });
  };
}

/** What a demo has said last, whether it still runs or was killed; `null` if none says anything. */
export async function readImitationAddress(folder: string): Promise<string | null> {
  try {
    const url = (await readFile(fileIn(folder), "utf8")).trim();
    return /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url) ? url : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

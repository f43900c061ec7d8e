import { ServerProcess } from "./server-process.ts";

/** Verifies a database with the program, as operators do after a crash. Throws what it prints if an invariant is violated. */
export async function requireVerified(
  environment: Readonly<Record<string, string>>,
  folder: string,
  ...options: readonly string[]
): Promise<void> {
  const { code, stdout, stderr } = await new ServerProcess(["verify", ...options], environment, folder).ended;
  if (code !== 0) throw new Error(stdout + stderr);
}

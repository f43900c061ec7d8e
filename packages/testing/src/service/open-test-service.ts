import { readFile } from "node:fs/promises";
import { type ConnectOptions, connectTestService } from "./connect-test-service.ts";
import { startTestService, type TestServiceOptions } from "./start-test-service.ts";
import type { TestService } from "./test-service.ts";

/** The environment variable with a file of options of `connectTestService`, as JSON. */
export const serverVariable = "SALLYPORT_TEST_SERVER";

/** Connects to the server that the environment names in `SALLYPORT_TEST_SERVER`. Without it, starts a service in this process. */
export async function openTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const file = process.env[serverVariable] ?? "";
  if (file === "") return startTestService(options);
  try {
    return await connectTestService(JSON.parse(await readFile(file, "utf8")) as ConnectOptions);
  } catch (cause) {
    throw new Error(`${serverVariable}=${file}: ${(cause as Error).message}`, { cause });
  }
}

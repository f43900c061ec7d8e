import type { LogInMode } from "@sallyport/client";
import { seesAll } from "@sallyport/storage";
import type { RunningServer } from "../src/index.ts";
import { type Answer, callIn } from "./client.ts";
import { sessionsOf } from "./open-session.ts";
import { repositoriesOf } from "./repositories-of.ts";
import { fileURLToPath } from "node:url";
import { tuned } from "./test-environment.ts";

/** Settings of the server: the macro folder of the tests. */
export const macroEnvironment: Readonly<Record<string, string>> = {
  MACROS_DIR: fileURLToPath(new URL("macros", import.meta.url)),
  MACROS_WATCH: "false",
  // Threads have the lowest priority, and other tests leave them little time.
  MACRO_TIMEOUT: "30s",
  ...tuned({ macros: { queue: { timeout: 30_000 } } }),
};

/** The sessions of one mode, with helpers to execute macros. */
export function macroFixture(server: () => RunningServer, mode: LogInMode) {
  const sessions = sessionsOf(server, mode, "demo", "reader", "admin");
  const repositories = () => repositoriesOf(server());
  const found = async (id: string) => (await repositories().objects.get([id], seesAll))[0];

  const execute = (name: string, input?: unknown, as = sessions.demo): Promise<Answer> =>
    callIn(server(), as, `/v1/execute/${name}`, {
      method: "POST",
      ...(input === undefined ? {} : { body: input as object }),
    });
  const steps = async (...args: readonly unknown[][]) => (await execute("Steps", { steps: args })).body.data;
  const create = async (attributes: object): Promise<string> => {
    const answer = await callIn(server(), sessions.demo, "/v1/object/Customer", { method: "POST", body: attributes });
    return answer.body.data["~ObjectID"];
  };
  const customers = async (name: string): Promise<number> => {
    const query = encodeURIComponent(JSON.stringify({ where: { Name: name } }));
    return (await callIn(server(), sessions.demo, `/v1/objects/Customer?query=${query}`)).body.data["~Count"];
  };

  return { server, mode, sessions, repositories, found, execute, steps, create, customers };
}

export type MacroFixture = ReturnType<typeof macroFixture>;

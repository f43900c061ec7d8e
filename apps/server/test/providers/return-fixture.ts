import type { RunningServer } from "../../src/index.ts";
import { link, logInAt, type Returned, exchangeCode } from "./browser.ts";
import { repositoriesOf } from "../repositories-of.ts";

/** The number of concurrent exchanges of one code. */
export const many = 12;

/** The first of the servers, with helpers. */
export function returnFixture(servers: () => readonly [RunningServer, RunningServer]) {
  const server = () => servers()[0];
  const r = (alias = "") => repositoriesOf(server(), alias);
  const bind = async (provider = "google") =>
    link(server(), (await logInAt(server(), provider, "anna")).body.data.dfUuid);
  const codeOf = async (input: Returned, ...more: [object?]) => (await exchangeCode(server(), input, ...more)).code;

  return { server, r, bind, codeOf };
}
